package petstore.app;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import petstore.Failure;

/// The right to serve a store's folder, which one process has at a time. The operating system takes it back when the process
/// ends, however it ends.
final class FolderLock implements AutoCloseable {

    private static final String FILE = "petstore.lock";

    private final FileChannel channel;

    private FolderLock(FileChannel channel) {
        this.channel = channel;
    }

    /// Takes the lock, making the folder when there is none. Errors: [Failure] when another process has it.
    static FolderLock take(Path folder) {
        return tryTake(folder).orElseThrow(() -> Failure.unavailable("the store in " + folder + " is in use"
                + owner(folder) + "; stop that one, or choose another folder with --data"));
    }

    /// Takes the lock, making the folder when there is none; absent when another process has it.
    static Optional<FolderLock> tryTake(Path folder) {
        try {
            if (!Files.isDirectory(folder)) {
                Files.createDirectories(folder,
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
            FileChannel channel = FileChannel.open(folder.resolve(FILE),
                    Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            if (tryLock(channel) == null) {
                channel.close();
                return Optional.empty();
            }
            channel.truncate(0);
            channel.write(
                    ByteBuffer.wrap(String.valueOf(ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8)));
            return Optional.of(new FolderLock(channel));
        } catch (IOException e) {
            throw Failure.unavailable("the store's folder " + folder + " (--data) cannot be written", e);
        }
    }

    private static String owner(Path folder) {
        try {
            String process = Files.readString(folder.resolve(FILE));
            return process.isEmpty() ? "" : " by process " + process;
        } catch (IOException e) {
            return "";
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new IllegalStateException("a lock cannot be given back", e);
        }
    }
}
