package petstore.transfer;

import java.util.ArrayList;
import java.util.List;

/// The results of the first reading of a file.
final class FileCheck {
    private static final int MAX_REPORTED = 100;

    private final List<String> firstBad = new ArrayList<>();
    private long good;
    private long bad;
    private long firstLine;
    private boolean refused;
    private List<String> ignoredColumns = List.of();

    long good() {
        return good;
    }

    void ignores(List<String> columns) {
        ignoredColumns = columns;
    }

    void count(ImportLine line) {
        switch (line) {
            case ImportLine.Good(var number, _, _) -> {
                good++;
                firstLine = firstLine == 0 ? number : firstLine;
            }
            case ImportLine.Bad(var number, var reason, var refusesFile) -> {
                bad++;
                refused |= refusesFile;
                if (firstBad.size() < MAX_REPORTED) {
                    firstBad.add("line " + number + ": " + reason);
                }
            }
        }
    }

    /// Makes the first animal bad, because other animals were added to the store after the check.
    void refuse(String reason) {
        good--;
        count(new ImportLine.Bad(firstLine, reason));
    }

    /// Returns true if no line of the file may be imported.
    boolean refusesFile(boolean skipBad) {
        return good == 0 || refused || (bad > 0 && !skipBad);
    }

    Importer.Report report(Importer.Written written) {
        return new Importer.Report(good, bad, List.copyOf(firstBad), ignoredColumns, written.animals(),
                written.lastLine());
    }
}
