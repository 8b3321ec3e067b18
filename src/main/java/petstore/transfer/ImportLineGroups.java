package petstore.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

import petstore.Catalogue;
import petstore.transfer.Importer.Plan;

/// The lines of an imported file, in groups. If ids are kept, an id that does not rise makes its line bad. Confined to one thread.
final class ImportLineGroups {

    private static final long GREATEST_ID = Long.MAX_VALUE / 2;

    private final Plan plan;
    private final LongConsumer progress;
    private final SeekableByteChannel file;
    private final ImportLine.Reader lines;
    private final int size;
    private long lastId;

    ImportLineGroups(Plan plan, SeekableByteChannel file, long lastId, int size, LongConsumer progress)
            throws IOException {
        this.plan = plan;
        this.file = file;
        this.lastId = lastId;
        this.size = size;
        this.progress = progress;
        FirstBytes.check(file, plan.format());
        InputStream in = Channels.newInputStream(file);
        lines = switch (plan.format()) {
            case NDJSON -> new NdjsonLineReader(in, plan.keepIds());
            case CSV -> new CsvLineReader(in, plan.keepIds(), plan.spreadsheet());
        };
    }

    /// Returns the next lines, empty at the end.
    List<ImportLine> next() throws IOException {
        List<ImportLine> group = new ArrayList<>(size);
        while (group.size() < size) {
            Optional<ImportLine> line = lines.next();
            if (line.isEmpty()) {
                break;
            }
            group.add(checked(line.get()));
        }
        progress.accept(file.position());
        return group;
    }

    /// Returns the number of the last line of the groups so far.
    long lastLine() {
        return lines.lastLine();
    }

    List<String> ignoredColumns() {
        return lines.ignoredColumns();
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
}
