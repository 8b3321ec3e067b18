package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A disk that fails on demand, for the store of a program. `src/test/c/disk.c` is loaded into that program.
public final class Disk {

    /// A kind of disk access that can fail.
    public enum Call {
        FSYNC("fsync"), DATABASE_FSYNC("database-fsync"), READ("read"), WRITE("write"), CHECKPOINT(
                "checkpoint"), DATABASE_WRITE("database-write"), READ_ONLY("read-only"), COPY("copy"), LOG("log"), LINK(
                        "link"), FOLDER("folder"), CLOSE("close"), OPEN_LOG("open-log");

        private final String file;

        Call(String file) {
            this.file = file;
        }
    }

    /// The bytes at an offset, and the size of the file, before a write.
    private record UndoRecord(long offset, long size, ByteBuffer bytes) {
    }

    private static final int COUNT_OFFSET = 2 * Long.BYTES;
    private static final int HEAD_BYTES = 3 * Long.BYTES;
    private static final Optional<Path> LIBRARY = Tools.library(Path.of("src/test/c/disk.c"));

    private final Path folder;

    private Disk(Path folder) {
        this.folder = folder;
    }

    /// Returns a working disk whose switches are files in `folder`; absent without Linux and a C compiler.
    public static Optional<Disk> in(Path folder) {
        try {
            Files.createDirectories(folder);
            return LIBRARY.map(_ -> new Disk(folder));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns the environment variables for a program whose store is on this disk.
    public Map<String, String> environment() {
        return Map.of("LD_PRELOAD", LIBRARY.orElseThrow().toString(), "TEST_DISK", folder.toString());
    }

    /// Makes every call of this kind fail from now on.
    public void fail(Call call) {
        turnOn(call.file);
    }

    /// Kills programs that start from now on before one of their links, renames, deletions, truncations and syncs.
    ///
    /// @param count the number of that call, from 1
    public void killAtStep(int count) {
        turnOn("step-" + count);
    }

    /// Returns true if a program waits before SQLite opens the log, as [Call#OPEN_LOG].
    public boolean opensLog() {
        return Files.exists(folder.resolve("opens-log"));
    }

    private void turnOn(String file) {
        try {
            Files.createFile(folder.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Makes calls of this kind succeed again.
    public void heal(Call call) {
        try {
            Files.delete(folder.resolve(call.file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns true if there are writes to the database itself that were not synced.
    public boolean hasUnsyncedDatabase() {
        return folder.resolve("petstore.db.undo").toFile().length() > 0;
    }

    /// Reverts every write to the store that a killed program has not synced, as a power failure does.
    public void losePower(Path store) {
        for (String name : List.of("petstore.db", "petstore.db-wal")) {
            Path undo = folder.resolve(name + ".undo");
            if (undo.toFile().length() > 0) {
                revert(store.resolve(name), undo);
            }
        }
    }

    private static void revert(Path file, Path undo) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer log = ByteBuffer.wrap(Files.readAllBytes(undo)).order(ByteOrder.nativeOrder());
            Deque<UndoRecord> latestFirst = new ArrayDeque<>();
            while (hasCompleteRecord(log)) {
                long offset = log.getLong();
                long size = log.getLong();
                int count = (int) log.getLong();
                latestFirst.push(new UndoRecord(offset, size, log.slice(log.position(), count)));
                log.position(log.position() + count);
            }
            for (UndoRecord record : latestFirst) {
                channel.write(record.bytes(), record.offset());
                channel.truncate(record.size());
            }
            Files.delete(undo);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns false for a partial record. The program was killed before the write that this record is for.
    private static boolean hasCompleteRecord(ByteBuffer log) {
        int bytesAfterHead = log.remaining() - HEAD_BYTES;
        return bytesAfterHead >= 0 && bytesAfterHead >= log.getLong(log.position() + COUNT_OFFSET);
    }
}
