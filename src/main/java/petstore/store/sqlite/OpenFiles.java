package petstore.store.sqlite;

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

    private final Path log;
    private final FolderLock lock;
    private final Map<Path, Object> keys = new LinkedHashMap<>();

    /// The files of a store that a session has opened and not yet changed. Records them in the lock, for the next start.
    OpenFiles(Path database, FolderLock lock) {
        this.log = SqliteFile.log(database);
        this.lock = lock;
        try {
            for (Path file : List.of(database, log, database.resolveSibling(StoreFiles.LOCK))) {
                keys.put(file, StoreFiles.key(file));
            }
            lock.recordFiles();
        } catch (IOException e) {
            throw CommandFailure.of("the store cannot be opened", e);
        }
    }

    /// Returns the reason why nothing may be written any more, e.g. that a file was replaced; absent for none. If the disk fails here, reads
    /// and writes fail, too, and tell why.
    Optional<String> findLoss() {
        for (Map.Entry<Path, Object> opened : keys.entrySet()) {
            if (isOther(opened.getKey(), opened.getValue())) {
                return Optional.of(opened.getKey().getFileName() + " was replaced, moved or deleted");
            }
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
