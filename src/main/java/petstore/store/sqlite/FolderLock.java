package petstore.store.sqlite;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import petstore.CommandFailure;
import petstore.files.AtomicFile;
import petstore.files.PrivateFiles;
import petstore.store.StoreAccess;

/// A lock on a store's folder, which the operating system releases when the process ends.
///
/// Many processes may use the store at the same time. One of them may own it: to serve it, or to replace it, which excludes all others.
/// The lock's file has the owner's random token, because locks are not shared between two mounts of a folder: the last owner has the store.
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

    /// The lines of the file, of one length: the token, the identities of the files, and the owner with the address of its API.
    private static final int LENGTH = 320;
    /// A multiple of the blocks of file systems.
    private static final int BLOCK = 4_096;
    private static final long TOKEN = 0;
    private static final long FILES = LENGTH;
    private static final long OWNER = 2 * LENGTH;

    private final Path folder;
    /// Null for a reading command if nothing has used the folder yet.
    private final @Nullable FileChannel channel;
    /// Empty for a process that does not own the store.
    private String token = "";
    /// Null for a process that does not own the store.
    private @Nullable FileChannel uncached;
    private final ByteBuffer block = ByteBuffer.allocateDirect(2 * BLOCK).alignedSlice(BLOCK).slice(0, BLOCK);

    private FolderLock(Path folder, @Nullable FileChannel channel) {
        this.folder = folder;
        this.channel = channel;
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
        lock.write(TOKEN, UUID.randomUUID().toString());
        lock.write(OWNER, String.valueOf(ProcessHandle.current().pid()));
        // A full disk may have refused the new token.
        lock.token = lock.read(TOKEN);
        lock.uncached = openUncached(folder.resolve(StoreFiles.LOCK), Objects.requireNonNull(lock.channel));
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

    /// Adds the address of the API to the lock, for the message of a second server.
    void announce(String address) {
        write(OWNER, read(OWNER) + " " + address);
    }

    /// Returns true if another process has taken the store since, through another mount.
    synchronized boolean isTaken() throws IOException {
        return uncached != null && !readToken(uncached).equals(token);
    }

    /// Opens the lock's file so that a token from another mount is read. File systems in user space would read their own cache.
    private static FileChannel openUncached(Path file, FileChannel channel) {
        try {
            if (!Files.getFileStore(file).type().startsWith("fuse")) {
                return channel;
            }
            // By name, because javac warns of the class.
            Object direct = Class.forName("com.sun.nio.file.ExtendedOpenOption").getField("DIRECT").get(null);
            return FileChannel.open(file, StandardOpenOption.READ, (OpenOption) direct);
        } catch (IOException | UnsupportedOperationException | ReflectiveOperationException e) {
            return channel;
        }
    }

    /// Reads a whole block, as an uncached channel requires it.
    private String readToken(FileChannel channel) throws IOException {
        channel.read(block.clear(), TOKEN);
        return text(block.flip().limit(Math.min(LENGTH, block.limit())));
    }

    /// Returns the record of the store's files.
    FileRecord files() {
        return new FileRecord(folder, this);
    }

    /// Returns the line with the identities of the files; empty without one.
    String readFiles() {
        return read(FILES);
    }

    /// Writes the line with the identities of the files to the disk, unless it is there.
    void writeFiles(String identities) throws IOException {
        if (channel != null && !identities.equals(readFiles())) {
            write(FILES, identities);
            channel.force(false);
        }
    }

    private void write(long line, String text) {
        byte[] bytes = String.format("%-" + (LENGTH - 1) + "s%n", text).getBytes(StandardCharsets.US_ASCII);
        try {
            if (channel != null) {
                channel.write(ByteBuffer.wrap(bytes, 0, LENGTH), line);
            }
        } catch (IOException e) {
            // The disk is full. Then the line stays as it was.
        }
    }

    private String read(long line) {
        return channel == null ? "" : read(channel, line);
    }

    private static String read(FileChannel channel, long line) {
        ByteBuffer bytes = ByteBuffer.allocate(LENGTH);
        try {
            channel.read(bytes, line);
            return text(bytes.flip());
        } catch (IOException e) {
            return "";
        }
    }

    private static String text(ByteBuffer bytes) {
        return StandardCharsets.US_ASCII.decode(bytes).toString().strip();
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
            String[] parts = FolderLock.read(channel, OWNER).split(" ", 2);
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
            if (uncached != null) {
                uncached.close();
            }
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            throw CommandFailure.of("the lock of the store's folder cannot be released", e);
        }
    }
}
