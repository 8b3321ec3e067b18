package petstore.transfer;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;

import petstore.Catalogue;
import petstore.transfer.Importer.Plan;

/// The entries of a file that is imported, in groups, with those made bad whose id is taken. Confined to one thread.
final class EntryGroups implements AutoCloseable {

    private static final long GREATEST_ID = Long.MAX_VALUE / 2;

    private final Catalogue catalogue;
    private final Plan plan;
    private final long lastId;
    private final LongConsumer progress;
    private final CountingStream in;
    private final EntryReader entries;
    /// Those of the file; absent when they are not kept.
    private final Optional<IdSet> ids;

    /// Begins to read the file of the plan.
    ///
    /// @param lastId the greatest id that the store has used
    /// @param progress is told the bytes read
    EntryGroups(Catalogue catalogue, Plan plan, long lastId, LongConsumer progress) throws IOException {
        this.catalogue = catalogue;
        this.plan = plan;
        this.lastId = lastId;
        this.progress = progress;
        in = new CountingStream(Files.newInputStream(plan.file()));
        entries = plan.format().reader(in, plan.keepIds(), plan.spreadsheet());
        ids = plan.keepIds() ? Optional.of(new IdSet()) : Optional.empty();
    }

    /// The next entries, empty at the end.
    List<Entry> next() throws IOException {
        List<Entry> group = new ArrayList<>(plan.group());
        for (Optional<Entry> entry = entries.next(); entry.isPresent(); entry = entries.next()) {
            group.add(entry.get());
            if (group.size() == plan.group()) {
                break;
            }
        }
        progress.accept(in.bytes);
        return plan.keepIds() ? withoutClashes(group) : group;
    }

    /// Ids above the greatest one that was ever used cannot be taken: the store need not be asked for them.
    private List<Entry> withoutClashes(List<Entry> group) throws IOException {
        List<Long> doubtful = new ArrayList<>();
        for (Entry entry : group) {
            if (entry instanceof Entry.Good(_, var id, _) && id <= lastId) {
                doubtful.add(id);
            }
        }
        Set<Long> taken = doubtful.isEmpty() ? Set.of() : catalogue.taken(doubtful);
        List<Entry> judged = new ArrayList<>(group.size());
        for (Entry entry : group) {
            judged.add(entry instanceof Entry.Good good ? judge(good, taken) : entry);
        }
        return judged;
    }

    private Entry judge(Entry.Good entry, Set<Long> taken) throws IOException {
        long id = entry.id();
        if (taken.contains(id)) {
            return new Entry.Bad(entry.line(), "the id " + id + " is taken");
        }
        if (id > GREATEST_ID) {
            return new Entry.Bad(entry.line(), "the id " + id + " leaves too little room for later ones");
        }
        return ids.orElseThrow().add(id)
                ? entry
                : new Entry.Bad(entry.line(), "the id " + id + " stands in the file before");
    }

    @Override
    public void close() throws IOException {
        ids.ifPresent(IdSet::close);
        entries.close();
    }

    /// Counts what is read.
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
