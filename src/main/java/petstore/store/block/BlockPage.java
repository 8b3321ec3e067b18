package petstore.store.block;

import java.util.Arrays;
import java.util.Optional;

import petstore.Catalogue.Page;
import petstore.PetQuery;

/// A page that is put together from blocks, by ascending id. For one thread at a time.
final class BlockPage {

    private static final int MOST_BLOCKS = 4;
    private static final int USUAL_BYTES_OF_ANIMAL = 96;

    private final PetQuery query;
    private byte[] json = {'['};
    /// The part of a block that is not copied yet: animals in a row are copied at once.
    private byte[] source = {};
    private int begin;
    private int end;
    private int length = 1;
    private int count;
    private long lastId;
    private boolean hasNext;
    private long from;
    private int blocks;
    private Optional<Block> last = Optional.empty();
    /// The greatest id of the catalogue in the latest of the snapshots of the blocks.
    private long greatest;
    private boolean isMixed;

    BlockPage(PetQuery query) {
        this.query = query;
        this.from = Math.max(query.after(), 0) + 1;
    }

    PetQuery query() {
        return query;
    }

    /// Returns the least id that may be the next animal.
    long from() {
        return from;
    }

    /// Returns true if the animals of the block with [#from] may complete this page. Beyond the greatest `long`, `from` is negative.
    boolean needsBlock() {
        return !hasNext && !isMixed && blocks < MOST_BLOCKS && open().isEmpty() && from > 0;
    }

    /// Adds the animals of the block with [#from]. A page does not mix states before and after a change by SQL.
    void add(Block block) {
        if (last.isPresent() && last.get().version().epoch() != block.version().epoch()) {
            isMixed = true;
            return;
        }
        last = Optional.of(block);
        greatest = Math.max(greatest, block.version().lastId());
        blocks++;
        source = block.json();
        begin = 0;
        end = 0;
        block.addTo(this, from, query.status());
        copy();
        from = block.ids().last() + 1;
    }

    /// Adds an animal of the current block, or notes that there is one after the last of this page.
    void add(long id, int first, int afterLast) {
        if (count == query.limit()) {
            hasNext = true;
            return;
        }
        if (first != end) {
            copy();
            begin = first;
        }
        end = afterLast;
        lastId = id;
        count++;
    }

    private void copy() {
        int more = end - begin;
        if (length + more > json.length) {
            int usual = count == query.limit() ? 0 : query.limit() * USUAL_BYTES_OF_ANIMAL;
            json = Arrays.copyOf(json, Math.max(length + more, Math.max(usual, 2 * json.length)));
        }
        System.arraycopy(source, begin, json, length, more);
        length += more;
        begin = end;
    }

    /// Returns true if an animal after this page is known.
    boolean hasNext() {
        return hasNext;
    }

    /// Returns the block in which this page ends without a next page, because there is no block after it; absent for other pages.
    Optional<Block> open() {
        return last.filter(block -> !hasNext && block.isOpen());
    }

    /// Returns false if an earlier block is of a later snapshot than the last one. The last one may then lack animals that the catalogue had
    /// in that snapshot.
    boolean endsInLatestBlock() {
        return last.filter(block -> block.version().lastId() == greatest).isPresent();
    }

    Page toPage() {
        int whole = Math.max(length, 2);
        byte[] body = json.length == whole ? json : Arrays.copyOf(json, whole);
        body[whole - 1] = ']';
        return new Page(body, hasNext ? Optional.of(query.continuedAfter(lastId)) : Optional.empty());
    }
}
