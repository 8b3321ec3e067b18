package petstore.transfer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.StandardOpenOption;

import petstore.files.TemporaryFile;

/// The ids of a file, as many as there may be: a hash table in a temporary file that is mapped into memory, so that the system
/// may take the room back. Confined to one thread.
final class IdSet implements AutoCloseable {

    private static final int FIRST_SLOTS = 1 << 16;
    private static final long FREE = 0;
    /// Fibonacci hashing: ids in a row, or a fixed distance apart, are spread over all slots.
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private Arena arena = Arena.ofConfined();
    private MemorySegment slots;
    private int bits = Integer.numberOfTrailingZeros(FIRST_SLOTS);
    private long size;

    IdSet() throws IOException {
        slots = map(arena, bits);
    }

    /// A table of free slots. They are written before they are mapped: where there is no room for them a write fails, but what is
    /// mapped would fault. The file has no name any more once it is mapped.
    private static MemorySegment map(Arena arena, int bits) throws IOException {
        long size = (long) Long.BYTES << bits;
        try (TemporaryFile file = new TemporaryFile("petstore-ids-")) {
            byte[] free = new byte[FIRST_SLOTS];
            for (long written = 0; written < size; written += free.length) {
                file.write(free);
            }
            try (FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.READ,
                    StandardOpenOption.WRITE)) {
                return channel.map(MapMode.READ_WRITE, 0, size, arena);
            }
        }
    }

    /// Adds a positive id; false when it is there already.
    boolean add(long id) throws IOException {
        if (!put(id)) {
            return false;
        }
        size++;
        if (size > (1L << bits) / 4 * 3) {
            grow();
        }
        return true;
    }

    private boolean put(long id) {
        long last = (1L << bits) - 1;
        for (long slot = (id * SPREAD) >>> (Long.SIZE - bits);; slot = (slot + 1) & last) {
            long there = slots.getAtIndex(ValueLayout.JAVA_LONG, slot);
            if (there == id) {
                return false;
            }
            if (there == FREE) {
                slots.setAtIndex(ValueLayout.JAVA_LONG, slot, id);
                return true;
            }
        }
    }

    @SuppressWarnings("MustBeClosedChecker") // The next call, or close(), closes the new arena.
    private void grow() throws IOException {
        Arena old = arena;
        MemorySegment before = slots;
        Arena larger = Arena.ofConfined();
        slots = map(larger, bits + 1);
        arena = larger;
        bits++;
        for (long at = 0; at < before.byteSize(); at += Long.BYTES) {
            long id = before.get(ValueLayout.JAVA_LONG, at);
            if (id != FREE) {
                put(id);
            }
        }
        old.close();
    }

    @Override
    public void close() {
        arena.close();
    }
}
