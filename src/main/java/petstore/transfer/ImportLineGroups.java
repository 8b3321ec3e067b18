package petstore.transfer;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

import petstore.Catalogue;
import petstore.transfer.Importer.Plan;

/// The entries of an imported file, in groups. If ids are kept, an id that does not rise makes its entry bad. Confined to one thread.
final class ImportLineGroups implements AutoCloseable {

    private static final long GREATEST_ID = Long.MAX_VALUE / 2;

    private final Plan plan;
    private final LongConsumer progress;
    private final CountingStream in;
    private final ImportLineReader entries;
    private long lastId;
    private long wrongIds;

    /// Opens the file of the plan.
    ///
    /// @param lastId the greatest id that the store has used
    /// @param progress gets the number of bytes read
    ImportLineGroups(Plan plan, long lastId, LongConsumer progress) throws IOException {
        this.plan = plan;
        this.lastId = lastId;
        this.progress = progress;
        in = new CountingStream(Files.newInputStream(plan.file()));
        entries = plan.format().reader(in, plan.keepIds(), plan.spreadsheet());
    }

    /// Returns the next entries, empty at the end.
    List<ImportLine> next() throws IOException {
        List<ImportLine> group = new ArrayList<>(plan.group());
        for (Optional<ImportLine> entry = entries.next(); entry.isPresent(); entry = entries.next()) {
            group.add(checked(entry.get()));
            if (group.size() == plan.group()) {
                break;
            }
        }
        progress.accept(in.bytes);
        return group;
    }

    /// Returns the number of entries so far whose id cannot be kept.
    long wrongIds() {
        return wrongIds;
    }

    private ImportLine checked(ImportLine entry) {
        if (!plan.keepIds() || !(entry instanceof ImportLine.Good(var line, var id, _))) {
            return entry;
        }
        if (id > lastId && id <= GREATEST_ID) {
            lastId = id;
            return entry;
        }
        wrongIds++;
        return new ImportLine.Bad(line, id <= lastId
                ? Catalogue.notAbove(id, lastId)
                : "the id " + id + " leaves too little room for later ones");
    }

    @Override
    public void close() throws IOException {
        entries.close();
    }

    /// Counts the bytes read.
    private static final class CountingStream extends FilterInputStream {
        private long bytes;

        CountingStream(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int count = super.read(buffer, offset, length);
            bytes += Math.max(0, count);
            return count;
        }
    }
}
