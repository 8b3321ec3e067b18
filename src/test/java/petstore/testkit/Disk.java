package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The disk under a store, as one that can fail: `src/test/c/disk.c`, loaded into the program.
public final class Disk {

    /// A call of the program to the disk.
    public enum Call {
        FSYNC("fsync"), READ("read"), WRITE("write"), CHECKPOINT("checkpoint"), COPY("copy");

        private final String file;

        Call(String file) {
            this.file = file;
        }
    }

    /// The bytes at an offset before a write.
    private record Before(long offset, long size, ByteBuffer bytes) {
    }

    private static final int COUNT_AT = 2 * Long.BYTES;
    private static final int HEAD_BYTES = 3 * Long.BYTES;
    private static final Path LIBRARY = Path.of("target/disk.so");
    private static final boolean SUPPORTED = compile();

    private final Path folder;

    private Disk(Path folder) {
        this.folder = folder;
    }

    /// A disk that works, with its switches in `folder`; absent without Linux and a C compiler.
    public static Optional<Disk> in(Path folder) {
        try {
            Files.createDirectories(folder);
            return SUPPORTED ? Optional.of(new Disk(folder)) : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The library is replaced whole: programs that other processes of the tests have started may be using it.
    private static boolean compile() {
        if (!System.getProperty("os.name").equals("Linux") || !Tools.have("cc")) {
            return false;
        }
        try {
            Path made = Files.createTempFile(LIBRARY.toAbsolutePath().getParent(), "disk", ".so");
            int code = new ProcessBuilder("cc", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-o", made.toString(),
                    "src/test/c/disk.c", "-ldl").redirectError(Redirect.INHERIT).start().waitFor();
            if (code != 0) {
                throw new AssertionError("src/test/c/disk.c cannot be compiled");
            }
            Files.move(made, LIBRARY, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /// Returns the environment of a program whose store is on this disk.
    public Map<String, String> environment() {
        return Map.of("LD_PRELOAD", LIBRARY.toAbsolutePath().toString(), "TEST_DISK", folder.toString());
    }

    /// Makes every such call fail from now on.
    public void fail(Call call) {
        try {
            Files.createFile(folder.resolve(call.file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Lets such calls succeed again.
    public void heal(Call call) {
        try {
            Files.delete(folder.resolve(call.file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Reverts every write to the store that a killed program has not synced.
    public void losePower(Path store) {
        for (String name : List.of("petstore.db", "petstore.db-wal")) {
            Path undo = folder.resolve(name + ".undo");
            if (undo.toFile().length() > 0) {
                takeBack(store.resolve(name), undo);
            }
        }
    }

    private static void takeBack(Path file, Path undo) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer log = ByteBuffer.wrap(Files.readAllBytes(undo)).order(ByteOrder.nativeOrder());
            Deque<Before> latestFirst = new ArrayDeque<>();
            while (hasRecord(log)) {
                long offset = log.getLong();
                long size = log.getLong();
                int count = (int) log.getLong();
                latestFirst.push(new Before(offset, size, log.slice(log.position(), count)));
                log.position(log.position() + count);
            }
            for (Before before : latestFirst) {
                channel.write(before.bytes(), before.offset());
                channel.truncate(before.size());
            }
            Files.delete(undo);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns false for a part of a record: a killed program has not written the bytes that it stands for.
    private static boolean hasRecord(ByteBuffer log) {
        int left = log.remaining() - HEAD_BYTES;
        return left >= 0 && left >= log.getLong(log.position() + COUNT_AT);
    }
}
