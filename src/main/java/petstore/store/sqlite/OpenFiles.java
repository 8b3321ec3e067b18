package petstore.store.sqlite;

import java.io.File;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import petstore.CommandFailure;

/// The files of an open store by their paths. SQLite does not notice that another file gets one of these names, or that a name is gone:
/// it goes on to write files that no start would find.
final class OpenFiles {

    /// Longer than the interval at which the clock of a file system advances.
    private static final long CLOCK_MS = 20;
    private static final long NEVER = -1;

    private final File folder;
    private final Path log;
    private final FolderLock lock;
    private final Map<Path, Object> keys = new LinkedHashMap<>();
    /// The time of the folder's last change when its files were compared.
    private volatile long comparedMs = NEVER;

    /// The files of a store that a session has opened and not yet changed. Records them in the lock, for the next start.
    OpenFiles(Path database, FolderLock lock) {
        this.folder = database.resolveSibling(".").toFile();
        this.log = SqliteFile.log(database);
        this.lock = lock;
        try {
            for (Path file : List.of(database, log, database.resolveSibling(StoreFiles.LOCK))) {
                keys.put(file, StoreFiles.key(file));
            }
            lock.files().write();
        } catch (IOException e) {
            throw CommandFailure.of("the store cannot be opened", e);
        }
    }

    /// Returns the reason why nothing may be written any more, e.g. that a file was replaced; absent for none. If the disk fails here, reads
    /// and writes fail, too, and tell why.
    Optional<String> findLoss() {
        // Names change only with their folder, and one system call costs a commit less than three.
        long changedMs = folder.lastModified();
        if (changedMs != comparedMs) {
            for (Map.Entry<Path, Object> opened : keys.entrySet()) {
                if (isOther(opened.getKey(), opened.getValue())) {
                    return Optional.of(opened.getKey().getFileName() + " was replaced, moved or deleted");
                }
            }
            // A later change may have the same time if this one was a moment ago.
            comparedMs = System.currentTimeMillis() - changedMs > CLOCK_MS ? changedMs : NEVER;
        }
        try {
            return lock.isTaken() ? Optional.of("another process has taken this store") : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// Returns true if only the name of the log is gone, or has an empty file, as reading commands create it.
    boolean isLogDeleted() {
        return !StoreFiles.hasContent(log) && keys.entrySet().stream()
                .noneMatch(opened -> !opened.getKey().equals(log) && isOther(opened.getKey(), opened.getValue()));
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
