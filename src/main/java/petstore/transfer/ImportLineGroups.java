package petstore.transfer;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

import petstore.Catalogue;
import petstore.transfer.Importer.Plan;

/// The lines of an imported file, in groups. If ids are kept, an id that does not rise makes its line bad. Confined to one thread.
final class ImportLineGroups implements AutoCloseable {

    private static final long GREATEST_ID = Long.MAX_VALUE / 2;

    private final Plan plan;
    private final LongConsumer progress;
    private final SeekableByteChannel file;
    private final ImportLineReader lines;
    private long lastId;

    /// Opens the file of the plan.
    ///
    /// @param lastId the greatest id that the store has used
    /// @param progress receives the number of bytes read
    ImportLineGroups(Plan plan, long lastId, LongConsumer progress) throws IOException {
        this.plan = plan;
        this.lastId = lastId;
        this.progress = progress;
        file = Files.newByteChannel(plan.file());
        lines = plan.format().reader(Channels.newInputStream(file), plan.keepIds(), plan.spreadsheet());
    }

    /// Returns the next lines, empty at the end.
    List<ImportLine> next() throws IOException {
        List<ImportLine> group = new ArrayList<>(plan.group());
        while (group.size() < plan.group()) {
            Optional<ImportLine> line = lines.next();
            if (line.isEmpty()) {
                break;
            }
            group.add(checked(line.get()));
        }
        progress.accept(file.position());
        return group;
    }

    private ImportLine checked(ImportLine line) {
        if (!plan.keepIds() || !(line instanceof ImportLine.Good(var number, var id, _))) {
            return line;
        }
        if (id <= lastId) {
            return new ImportLine.Bad(number, Catalogue.notAbove(id, lastId), true);
        }
        if (id > GREATEST_ID) {
            return new ImportLine.Bad(number, "the id " + id + " leaves too little room for later ones", true);
        }
        lastId = id;
        return line;
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
