package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import org.sqlite.SQLiteErrorCode;
import petstore.CommandFailure;
import petstore.store.Database;
import petstore.store.Session;

/// The files of an open store by their paths. SQLite does not notice that another file gets one of these names, or that a name is gone:
/// it goes on to write files that no start would find.
final class OpenFiles {

    /// Longer than the interval at which the clock of a file system advances.
    private static final long CLOCK_MS = 20;

    private final Path folder;
    private final Path log;
    /// SQLite's locks and the index of the log, in memory that its processes share.
    private final Path index;
    private final LockFile lockFile;
    private final Map<Path, Object> keys = new LinkedHashMap<>();
    /// The folder when its files were compared; empty if they must be compared again.
    private volatile Optional<Folder> compared = Optional.empty();

    /// A folder and the time of its last change, which no program can set.
    private record Folder(Object device, Object inode, FileTime changed) {

        static Optional<Folder> find(Path path) {
            try {
                Map<String, Object> found = Files.readAttributes(path, "unix:dev,ino,ctime");
                return Optional.of(new Folder(Objects.requireNonNull(found.get("dev")),
                        Objects.requireNonNull(found.get("ino")),
                        (FileTime) Objects.requireNonNull(found.get("ctime"))));
            } catch (IOException e) {
                return Optional.empty();
            }
        }

        /// Returns false if a later change may have the same time.
        boolean isSettled() {
            return System.currentTimeMillis() - changed.toMillis() > CLOCK_MS;
        }
    }

    /// The files of a store that a session has opened and not yet changed. Records them in the lock, for the next start.
    OpenFiles(Path database, FolderLock lock) {
        this.folder = database.resolveSibling(".");
        this.log = SqliteFile.log(database);
        this.index = StoreFiles.companion(database, "-shm");
        this.lockFile = lock.file();
        try {
            for (Path file : List.of(database, log, index, database.resolveSibling(StoreFiles.LOCK))) {
                keys.put(file, StoreFiles.key(file));
            }
            lockFile.recordFiles();
        } catch (IOException e) {
            throw CommandFailure.of("the store cannot be opened", e);
        }
    }

    /// Moves the log of a killed process into the file and syncs it, because that process may not have synced its last commit. Then
    /// removes the checksum of a backup that was copied here, because the next write invalidates it, and records that it is a store.
    void settle(Session session) throws SQLException {
        Checkpoints.complete(session);
        if (BackupChecksum.isMarked(session)) {
            SqliteWriter.inTransaction(session, Database.Work.of(BackupChecksum::remove));
            // A log beside a marked database would be that of another one.
            Checkpoints.complete(session);
        }
        try {
            lockFile.recordStore();
        } catch (IOException e) {
            SQLException failed = SqliteErrors.exception(SQLiteErrorCode.SQLITE_IOERR_WRITE);
            failed.initCause(e);
            throw failed;
        }
    }

    /// Returns the reason why nothing may be written any more, e.g. that a file was replaced; absent for none. If the disk fails here, reads
    /// and writes fail, too, and tell why.
    Optional<String> findLoss() {
        // Names change only with their folder, and one system call costs a commit less than four.
        Optional<Folder> found = Folder.find(folder);
        if (found.isEmpty() || !found.equals(compared)) {
            for (Map.Entry<Path, Object> opened : keys.entrySet()) {
                if (isOther(opened.getKey(), opened.getValue())) {
                    return Optional.of(opened.getKey().getFileName() + " was replaced, moved or deleted");
                }
            }
            compared = found.filter(Folder::isSettled);
        }
        return isTaken() ? Optional.of("another process has taken this store") : Optional.empty();
    }

    /// Returns true if no other process has taken the store, and only the names of the log and its index are gone, or have an empty log, as
    /// reading commands create it.
    boolean isLogDeleted() {
        return !isTaken() && !StoreFiles.hasContent(log) && keys.entrySet().stream()
                .noneMatch(opened -> !List.of(log, index).contains(opened.getKey())
                        && isOther(opened.getKey(), opened.getValue()));
    }

    /// Returns false if the lock cannot be read.
    private boolean isTaken() {
        try {
            return lockFile.isTaken();
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isOther(Path file, Object opened) {
        try {
            return !StoreFiles.key(file).equals(opened);
        } catch (NoSuchFileException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
