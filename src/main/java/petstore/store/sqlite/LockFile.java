package petstore.store.sqlite;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import petstore.CommandFailure;

/// The lines of a lock's file, of one length: the token, the identities of the files, and the owner with the address of its API.
///
/// Each owner writes a random token, because locks are not shared between two mounts of a folder: the last one has the store. The
/// identities are those of the files that the store had when it was opened last. So a start notices that the database or its log was
/// replaced while no process ran.
final class LockFile implements AutoCloseable {

    private static final int LENGTH = 320;
    /// A multiple of the blocks of file systems.
    private static final int BLOCK = 4_096;
    private static final long TOKEN = 0;
    private static final long FILES = LENGTH;
    private static final long OWNER = 2 * LENGTH;

    private static final String BACKUP = "backup";
    private static final String STORE = "store";
    private static final String GONE = "gone";

    private final Path folder;
    private final @Nullable FileChannel channel;
    /// Empty for a process that does not own the store.
    private String token = "";
    /// Reads the token, in a file system in user space without its cache; null for a process that does not own the store.
    private @Nullable FileChannel uncached;
    private final ByteBuffer block = ByteBuffer.allocateDirect(2 * BLOCK).alignedSlice(BLOCK).slice(0, BLOCK);

    /// @param channel null for a reading command if nothing has used the folder yet
    LockFile(Path folder, @Nullable FileChannel channel) {
        this.folder = folder;
        this.channel = channel;
    }

    /// Writes this process into the file as the owner.
    void own() {
        write(TOKEN, UUID.randomUUID().toString());
        write(OWNER, String.valueOf(ProcessHandle.current().pid()));
        // A full disk may have refused the new token.
        token = read(TOKEN);
        uncached = openUncached(folder.resolve(StoreFiles.LOCK), Objects.requireNonNull(channel));
    }

    /// Adds the address of the API to the lock, for the message of a second server.
    void announce(String address) {
        write(OWNER, read(OWNER) + " " + address);
    }

    /// Returns true if another process has taken the store since, through another mount.
    synchronized boolean isTaken() throws IOException {
        if (uncached == null) {
            return false;
        }
        // A whole block, as an uncached channel requires it.
        uncached.read(block.clear(), TOKEN);
        return !text(block.flip().limit(Math.min(LENGTH, block.limit()))).equals(token);
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

    /// Records which files the store has, once they are open and before they are changed.
    void recordFiles() throws IOException {
        writeFiles(identities());
    }

    /// Records that a backup which was copied here is a store, after its mark was removed. The file keeps the mark while another process
    /// reads it.
    void recordStore() throws IOException {
        String record = files();
        if (record.endsWith(BACKUP) && !BackupChecksum.isMarked(SqliteFile.in(folder))) {
            writeFiles(record.substring(0, record.length() - BACKUP.length()) + STORE);
        }
    }

    /// Returns the line with the identities of the files; empty without one.
    String files() {
        return read(FILES);
    }

    /// Writes the line with the identities of the files to the disk, unless it is there.
    private void writeFiles(String identities) throws IOException {
        if (channel != null && !identities.equals(files())) {
            write(FILES, identities);
            channel.force(false);
        }
    }

    /// Returns the numbers of the lock's file, the database and its log in their file system, each with the time of its creation, because
    /// numbers are used again; and whether the database is a backup that was copied here. Java returns the time of the last change if the
    /// file system does not know that of the creation.
    private String identities() throws IOException {
        Path database = SqliteFile.in(folder);
        Path lockFile = folder.resolve(StoreFiles.LOCK);
        BasicFileAttributes times = Files.readAttributes(lockFile, BasicFileAttributes.class);
        boolean areKnown = times.creationTime().compareTo(times.lastModifiedTime()) < 0;
        StringBuilder identities = new StringBuilder();
        for (Path file : List.of(lockFile, database, SqliteFile.log(database))) {
            identities.append(Files.getAttribute(file, "unix:ino"))
                    .append(areKnown ? "@" + Files.getAttribute(file, "creationTime") : "").append(' ');
        }
        return identities.append(BackupChecksum.isMarked(database) ? BACKUP : STORE).toString();
    }

    /// Throws [CommandFailure] unless [#isOfOneStore].
    void requireOneStore() {
        if (!isOfOneStore()) {
            Path database = SqliteFile.in(folder);
            Path log = SqliteFile.log(database);
            throw new CommandFailure(database + " or " + log + " was replaced while the log had changes; if "
                    + database + " was put there on purpose, move the log away; if both are of the same moment, delete "
                    + folder.resolve(StoreFiles.LOCK));
        }
    }

    /// Returns false if SQLite would apply the log of a killed process to another database. The log has changes then, and the database is a
    /// backup, or either of both is not the file that was recorded. If both are others, or the lock's file is, the whole folder may be a
    /// copy.
    boolean isOfOneStore() {
        Path database = SqliteFile.in(folder);
        String before = "";
        while (StoreFiles.hasContent(SqliteFile.log(database)) && StoreFiles.hasContent(database)) {
            try {
                boolean isBackup = BackupChecksum.isMarked(database);
                String record = files();
                String found = record.split(" ", 4).length < 4 ? "" : identities();
                if (areOneStore(record.split(" ", 4), found.split(" ", 4), isBackup)) {
                    return true;
                }
                // Meanwhile another command may have ended, whose log is deleted, and the next one may have a new log.
                if (before.equals(record + found)) {
                    return false;
                }
                before = record + found;
            } catch (NoSuchFileException e) {
                // Once, another command may have ended, whose log is deleted. Twice, the lock is gone.
                if (before.equals(GONE)) {
                    throw StoreFiles.unreadable(folder, e);
                }
                before = GONE;
            } catch (IOException e) {
                throw StoreFiles.unreadable(folder, e);
            }
        }
        return true;
    }

    private static boolean areOneStore(String[] recorded, String[] found, boolean isBackup) {
        if (recorded.length < 4 || (isBackup && !recorded[3].equals(BACKUP))) {
            return !isBackup;
        }
        boolean isCopiedFolder = !isSame(recorded[0], found[0]);
        return isCopiedFolder || isSame(recorded[1], found[1]) == isSame(recorded[2], found[2]);
    }

    /// Compares without the times of creation if one is unknown.
    private static boolean isSame(String recorded, String found) {
        boolean areKnown = recorded.contains("@") && found.contains("@");
        return areKnown
                ? recorded.equals(found)
                : recorded.split("@", 2)[0].equals(found.split("@", 2)[0]);
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

    /// Returns the line of the owner: its process, and the address of its API if it is known.
    static String owner(FileChannel channel) {
        return read(channel, OWNER);
    }

    private static String text(ByteBuffer bytes) {
        return StandardCharsets.US_ASCII.decode(bytes).toString().strip();
    }

    @Override
    public void close() throws IOException {
        if (uncached != null) {
            uncached.close();
        }
        if (channel != null) {
            channel.close();
        }
    }
}
