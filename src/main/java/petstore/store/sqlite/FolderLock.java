package petstore.store.sqlite;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import petstore.CommandFailure;
import petstore.files.AtomicFile;
import petstore.files.PrivateFiles;
import petstore.store.StoreAccess;

/// A lock on a store's folder, which the operating system releases when the process ends.
///
/// Many processes may use the store at the same time. One of them may own it: to serve it, or to replace it, which excludes all others.
public final class FolderLock implements AutoCloseable {

    /// The longest wait for processes whose use of the store ends soon.
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    /// The longest wait for processes that look whether the store has an owner.
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final Duration POLL = Duration.ofMillis(10);

    /// The byte of the file that an owner locks.
    private static final long OWNING = 0;
    /// The byte of the file that commands lock together.
    private static final long USING = 1;

    private final Path folder;
    /// Null for a reading command if nothing has used the folder yet.
    private final @Nullable FileChannel channel;
    private final LockFile file;

    private FolderLock(Path folder, @Nullable FileChannel channel) {
        this.folder = folder;
        this.channel = channel;
        this.file = new LockFile(folder, channel);
    }

    /// Locks a folder for a command. Creates a missing folder, unless the command only reads.
    ///
    /// Errors: [CommandFailure] if another process replaces the store; for [StoreAccess#EXCLUSIVE] also if another uses it.
    static FolderLock forCommand(Path folder, StoreAccess access) {
        return switch (access) {
            case READ -> read(folder);
            case CHANGE, CREATE -> change(folder);
            case EXCLUSIVE -> replace(folder);
        };
    }

    /// Locks a folder to serve its store, and creates a missing folder. Errors: [CommandFailure] if another process owns it.
    public static FolderLock serve(Path folder) {
        return own(folder, ", and other ports with --port and --admin-port");
    }

    private static FolderLock own(Path folder, String moreAdvice) {
        FolderLock lock = open(folder);
        if (!lock.waitForLock(OWNING, false, LOOK)) {
            throw lock.inUse("; stop that one, or choose another folder with --data" + moreAdvice);
        }
        lock.file.own();
        try {
            AtomicFile.deleteParts(folder, "petstore\\.db|replaced-.*");
        } catch (IOException e) {
            lock.close();
            throw StoreFiles.unreadable(folder, e);
        }
        return lock;
    }

    /// Locks a folder to read its store. Creates nothing.
    static FolderLock read(Path folder) {
        StoreFiles.inspect(SqliteFile.in(folder));
        StoreFiles.requireWritable(folder);
        try {
            return new FolderLock(folder, FileChannel.open(folder.resolve(StoreFiles.LOCK))).use();
        } catch (NoSuchFileException e) {
            return new FolderLock(folder, null);
        } catch (IOException e) {
            throw StoreFiles.unreadable(folder, e);
        }
    }

    /// Locks a folder to change its store, and creates a missing folder. Errors: [CommandFailure] if another process replaces the store.
    public static FolderLock change(Path folder) {
        return open(folder).use();
    }

    private FolderLock use() {
        if (!waitForLock(USING, true, PATIENCE)) {
            throw inUse(", which excludes other commands; try again when that has ended");
        }
        return this;
    }

    /// Locks a folder to replace its store, and creates a missing folder. Errors: [CommandFailure] if another process uses it.
    public static FolderLock replace(Path folder) {
        FolderLock lock = own(folder, "");
        if (!lock.waitForLock(USING, false, PATIENCE)) {
            lock.close();
            throw new CommandFailure("another command reads or changes the store in " + folder
                    + "; try again when that has ended");
        }
        return lock;
    }

    LockFile file() {
        return file;
    }

    private static FolderLock open(Path folder) {
        try {
            PrivateFiles.createFolder(folder);
            StoreFiles.inspect(SqliteFile.in(folder));
            StoreFiles.requireWritable(folder);
            return new FolderLock(folder, PrivateFiles.openForFolder(folder.resolve(StoreFiles.LOCK)));
        } catch (IOException e) {
            throw CommandFailure.of("the store's folder " + folder + " (--data) cannot be written", e);
        }
    }

    /// Returns the process that owns a folder's store; absent if none does, or the folder cannot be read. Not for the owner: it would
    /// lose its lock.
    public static Optional<Owner> owner(Path folder) {
        try (FileChannel channel = FileChannel.open(folder.resolve(StoreFiles.LOCK));
                FileLock free = channel.tryLock(OWNING, 1, true)) {
            return free == null ? Owner.read(channel) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// Returns true if a process owns the store.
    boolean isOwned() {
        try (FileLock free = Objects.requireNonNull(channel).tryLock(OWNING, 1, true)) {
            return free == null;
        } catch (IOException | OverlappingFileLockException e) {
            return true;
        }
    }

    /// A process that owns a store.
    ///
    /// @param process its number
    /// @param address the address of its API; empty until it is known
    public record Owner(String process, String address) {

        private static Optional<Owner> read(FileChannel channel) {
            String[] parts = LockFile.owner(channel).split(" ", 2);
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

    private boolean waitForLock(long position, boolean shared, Duration patience) {
        long beganNs = System.nanoTime();
        while (!tryLock(position, shared)) {
            if (System.nanoTime() - beganNs > patience.toNanos()) {
                return false;
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
        return true;
    }

    private boolean tryLock(long position, boolean shared) {
        try {
            return channel == null || channel.tryLock(position, 1, shared) != null;
        } catch (OverlappingFileLockException e) {
            // Of this process, whose commands do not exclude each other.
            return shared;
        } catch (IOException e) {
            throw CommandFailure.of(
                    "the file " + StoreFiles.LOCK + " in the store's folder (--data) cannot be locked", e);
        }
    }

    /// Closes this lock, and returns a failure that names the process with the conflicting lock.
    private CommandFailure inUse(String advice) {
        try (this) {
            return new CommandFailure("the store in " + folder + " is in use"
                    + Optional.ofNullable(channel).flatMap(Owner::read).map(process -> " by " + process).orElse("")
                    + advice);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw CommandFailure.of("the lock of the store's folder cannot be released", e);
        }
    }
}
