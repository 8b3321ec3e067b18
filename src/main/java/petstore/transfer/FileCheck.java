package petstore.transfer;

import java.util.ArrayList;
import java.util.List;

/// The results of the first reading of a file.
final class FileCheck {
    private static final int MOST_REPORTED = 100;

    private final long lastId;
    private final List<String> firstBad = new ArrayList<>();
    private long good;
    private long bad;
    private long wrongIds;
    private long firstLine;

    FileCheck(long lastId) {
        this.lastId = lastId;
    }

    long lastId() {
        return lastId;
    }

    long good() {
        return good;
    }

    void count(ImportLine entry) {
        switch (entry) {
            case ImportLine.Good(var line, _, _) -> {
                good++;
                firstLine = firstLine == 0 ? line : firstLine;
            }
            case ImportLine.Bad(var line, var reason) -> {
                bad++;
                if (firstBad.size() < MOST_REPORTED) {
                    firstBad.add("line " + line + ": " + reason);
                }
            }
        }
    }

    /// Makes the first animal bad: others were added to the store since it was checked.
    void refuse(String reason) {
        good--;
        count(new ImportLine.Bad(firstLine, reason));
    }

    /// Records how many lines are bad for their id: a wrong id refuses the file.
    void refuseIds(long count) {
        wrongIds = count;
    }

    /// Returns true if nothing of the file may be written.
    boolean refusesFile(boolean skipBad) {
        return good == 0 || wrongIds > 0 || (bad > 0 && !skipBad);
    }

    Importer.Report report(long written) {
        return new Importer.Report(good, bad, List.copyOf(firstBad), written);
    }
}
