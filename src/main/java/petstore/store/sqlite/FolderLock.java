package petstore.store.sqlite;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import petstore.CommandFailure;
import petstore.files.PrivateFiles;

/// A lock on a store's folder, which the operating system releases when the process ends.
///
/// One process may serve the store. Many may change it at the same time, also while it is served. A process that replaces the store
/// excludes all others.
public final class FolderLock implements AutoCloseable {

    private static final int MAX_OWNER_BYTES = 512;
    /// The byte of the file that a serving process locks.
    private static final long SERVING = 0;
    /// The byte of the file that changing processes lock together.
    private static final long CHANGING = 1;

    private final FileChannel channel;

    private FolderLock(FileChannel channel) {
        this.channel = channel;
    }

    /// Locks a folder to serve its store, and creates a missing folder. Errors: [CommandFailure] if another process serves or replaces it.
    public static FolderLock serve(Path folder) {
        return serve(folder, ", and other ports with --port and --admin-port");
    }

    private static FolderLock serve(Path folder, String moreAdvice) {
        FolderLock lock = open(folder);
        if (!lock.tryServe()) {
            throw lock.inUse(folder, "; stop that one, or choose another folder with --data" + moreAdvice);
        }
        return lock.repair(folder);
    }

    /// Locks a folder to change its store, and creates a missing folder. Errors: [CommandFailure] if another process replaces the store.
    public static FolderLock change(Path folder) {
        FolderLock lock = open(folder);
        if (!lock.tryLock(CHANGING, true)) {
            throw lock.inUse(folder, ", which excludes other changes; try again when that has ended");
        }
        return lock.repair(folder);
    }

    /// Locks a folder to replace its store, and creates a missing folder. Errors: [CommandFailure] if another process serves or changes it.
    public static FolderLock replace(Path folder) {
        FolderLock lock = serve(folder, "");
        if (!lock.tryLock(CHANGING, false)) {
            lock.close();
            throw new CommandFailure("another command changes the store in " + folder
                    + "; try again when that has ended");
        }
        return lock;
    }

    private static FolderLock open(Path folder) {
        try {
            PrivateFiles.createFolder(folder);
            StoreFiles.inspect(SqliteFile.in(folder));
            StoreFiles.requireWritable(folder);
            return new FolderLock(PrivateFiles.openForFolder(folder.resolve(StoreFiles.LOCK)));
        } catch (IOException e) {
            throw CommandFailure.of("the store's folder " + folder + " (--data) cannot be written", e);
        }
    }

    /// Repairs the store after a killed `restore`. No `restore` runs while this process has a lock.
    private FolderLock repair(Path folder) {
        try {
            ReplacedStore.repair(folder);
            return this;
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    /// Also locks the folder to serve it. Returns false if another process serves it.
    public boolean tryServe() {
        boolean locked = tryLock(SERVING, false);
        if (locked) {
            append(0, String.valueOf(ProcessHandle.current().pid()));
        }
        return locked;
    }

    /// Adds the address of the API to the lock, for the message of a second server.
    public void serves(String address) {
        append(MAX_OWNER_BYTES, " " + address);
    }

    /// @param kept the number of bytes that stay of the text so far
    private void append(int kept, String text) {
        try {
            channel.truncate(kept);
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), channel.size());
        } catch (IOException e) {
            // The disk is full. The text only improves messages.
        }
    }

    /// Returns the process that serves a folder; absent if none does, or the folder cannot be read. Not for the serving process: it
    /// would lose its lock.
    public static Optional<Owner> server(Path folder) {
        try (FileChannel channel = FileChannel.open(folder.resolve(StoreFiles.LOCK));
                FileLock free = channel.tryLock(SERVING, 1, true)) {
            return free == null ? Owner.read(channel) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// Returns true if this user cannot see whether a process serves a folder.
    public static boolean isHidden(Path folder) {
        Path lock = folder.resolve(StoreFiles.LOCK);
        return !Files.isReadable(lock) && !Files.notExists(lock);
    }

    /// A process that serves a store.
    ///
    /// @param process its number
    /// @param address the address of its API; empty until it is known
    public record Owner(String process, String address) {

        private static Optional<Owner> read(FileChannel channel) {
            ByteBuffer bytes = ByteBuffer.allocate(MAX_OWNER_BYTES);
            try {
                channel.read(bytes, 0);
            } catch (IOException e) {
                return Optional.empty();
            }
            String[] parts = StandardCharsets.UTF_8.decode(bytes.flip()).toString().split(" ", 2);
            return parts[0].isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Owner(parts[0], parts.length > 1 ? parts[1] : ""));
        }

        /// Returns e.g. `process 12, which serves http://127.0.0.1:8080/v1`.
        @Override
        public String toString() {
            return "process " + process + (address.isEmpty() ? "" : ", which serves " + address);
        }
    }

    private boolean tryLock(long position, boolean shared) {
        try {
            return channel.tryLock(position, 1, shared) != null;
        } catch (OverlappingFileLockException e) {
            return false;
        } catch (IOException e) {
            throw CommandFailure.of(
                    "the file " + StoreFiles.LOCK + " in the store's folder (--data) cannot be locked", e);
        }
    }

    /// Closes this lock, and returns a failure that names the process with the conflicting lock.
    private CommandFailure inUse(Path folder, String advice) {
        try (this) {
            return new CommandFailure("the store in " + folder + " is in use"
                    + Owner.read(channel).map(process -> " by " + process).orElse("") + advice);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw CommandFailure.of("the lock of the store's folder cannot be released", e);
        }
    }
}
