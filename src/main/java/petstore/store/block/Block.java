package petstore.store.block;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import petstore.CatalogueVersion;
import petstore.Pet;
import petstore.PetStatus;
import petstore.json.PetJson;
import petstore.memory.SharedMemory;

/// The animals of consecutive ids as JSON, read in one snapshot.
public final class Block implements SharedMemory.Value {

    private static final List<PetStatus> STATUSES = List.of(PetStatus.values());
    private static final byte NO_ANIMAL = 0;
    private static final byte NO_STATUS = 1;
    private static final int USUAL_BYTES_OF_ANIMAL = 80;
    private static final int BYTES_OF_OBJECTS = 170;
    /// A block whose ids are not all used yet lacks the animals that were added after its read. Once so many pages needed them, another
    /// read of the block costs less than the pages that the store reads meanwhile.
    private static final int PAGES_UNTIL_OUTDATED = 64;

    /// The ids of a block, from the first to the last.
    public record Ids(long first, long last) {

        /// Returns `count` ids, or all that are left.
        static Ids from(long first, int count) {
            return new Ids(first, first + Math.min(count - 1, Long.MAX_VALUE - first));
        }

        int count() {
            return Math.toIntExact(last - first + 1);
        }
    }

    private final Ids ids;
    private final CatalogueVersion version;
    /// Each animal and a comma.
    private final byte[] json;
    /// The offsets in [#json]: 0, then the end of the animal of each id.
    private final int[] ends;
    private final byte[] statuses;
    /// The number of pages that needed later animals.
    private final AtomicInteger laterPages = new AtomicInteger();

    /// @param version the version of the snapshot, as the database counts it
    /// @param pets all animals with these ids, ascending
    public Block(Ids ids, CatalogueVersion version, List<Pet> pets) {
        this.ids = ids;
        this.version = version;
        this.ends = new int[ids.count() + 1];
        this.statuses = new byte[ids.count()];
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(pets.size() * USUAL_BYTES_OF_ANIMAL);
        int slot = 0;
        for (Pet pet : pets) {
            int found = slot(pet.id());
            while (slot < found) {
                ends[++slot] = bytes.size();
            }
            bytes.writeBytes(PetJson.write(pet));
            bytes.write(',');
            statuses[slot] = code(pet.status());
            ends[++slot] = bytes.size();
        }
        while (slot < ids.count()) {
            ends[++slot] = bytes.size();
        }
        this.json = bytes.toByteArray();
    }

    private static byte code(Optional<PetStatus> status) {
        return (byte) (status.isEmpty() ? NO_STATUS : NO_STATUS + 1 + STATUSES.indexOf(status.get()));
    }

    private int slot(long id) {
        return (int) (id - ids.first());
    }

    Ids ids() {
        return ids;
    }

    CatalogueVersion version() {
        return version;
    }

    /// Counts a page that needs later animals than this block has. Returns true once there are [#PAGES_UNTIL_OUTDATED].
    boolean isOutdated() {
        return laterPages.incrementAndGet() >= PAGES_UNTIL_OUTDATED;
    }

    byte[] json() {
        return json;
    }

    /// Returns true if animals may be added to these ids.
    boolean isOpen() {
        return version.lastId() < ids.last();
    }

    /// Adds the animals from id `from` on to a page until it is complete.
    void addTo(BlockPage page, long from, Optional<PetStatus> status) {
        byte wanted = status.isEmpty() ? NO_ANIMAL : code(status);
        for (int slot = slot(from); slot < statuses.length && !page.hasNext(); slot++) {
            if (status.isEmpty() ? statuses[slot] != NO_ANIMAL : statuses[slot] == wanted) {
                page.add(ids.first() + slot, ends[slot], ends[slot + 1]);
            }
        }
    }

    @Override
    public int bytes() {
        return BYTES_OF_OBJECTS + json.length + Integer.BYTES * ends.length + statuses.length;
    }
}
