package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import petstore.CommandFailure;
import petstore.files.AtomicFile;
import petstore.store.Session;

/// The store that a `restore` replaces. It is kept, and put back if the `restore` is killed.
public final class ReplacedStore {

    private static final String PREFIX = "replaced-";
    private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS")
            .withZone(ZoneOffset.UTC);

    private ReplacedStore() {
    }

    /// Returns the greatest id that a store used, 0 for none; absent if it is damaged, or only its log is left. Moves the log into the
    /// store if possible.
    static OptionalLong lastPetId(Path store) {
        if (!StoreFiles.hasContent(store)) {
            return StoreFiles.findLog(store).isPresent() ? OptionalLong.empty() : OptionalLong.of(0);
        }
        try (Session session = SqliteFile.connectWriter(store)) {
            boolean hasIds = session.number("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'") == 1;
            return OptionalLong.of(hasIds ? Sqlite.lastPetId(session) : 0);
        } catch (SQLException e) {
            if (SqliteErrors.isDamage(e)) {
                return OptionalLong.empty();
            }
            throw SqliteFile.cannotBe("read", store, e);
        }
    }

    /// Moves a store or its orphaned logs aside, and returns their paths once [#repair] has run. A kill at any step loses nothing:
    /// [#repair] undoes the steps until another database has the store's name, and then completes them.
    ///
    /// @param now the time in the names of the kept files
    static List<Path> keep(Path database, Instant now) throws IOException {
        List<Path> kept = new ArrayList<>();
        if (StoreFiles.hasContent(database)) {
            kept.add(keepDatabase(database, now));
        } else {
            for (String suffix : StoreFiles.LOGS) {
                Path aside = database.resolveSibling(
                        PREFIX + MOMENT.format(now) + suffix.replace('-', '.'));
                if (moveIfPresent(StoreFiles.companion(database, suffix), aside)) {
                    kept.add(aside);
                }
            }
            Files.deleteIfExists(StoreFiles.companion(database, "-shm"));
        }
        // After a power failure, the new database must not have the log of the replaced database.
        AtomicFile.syncNames(database.resolveSibling("."));
        return kept;
    }

    /// Gives the store a second name by a hard link, so that it has a name at each moment. Without hard links, as on exFAT, it is renamed.
    private static Path keepDatabase(Path database, Instant now) throws IOException {
        Path aside = aside(database, now);
        Path meanwhile = aside;
        StoreFiles.requireNoCompanion(aside);
        try {
            Files.createLink(aside, database);
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (UnsupportedOperationException | FileSystemException e) {
            aside = aside(database);
            meanwhile = database.resolveSibling(StoreFiles.REPLACING);
            StoreFiles.requireNoCompanion(aside);
            Files.move(database, meanwhile, StandardCopyOption.ATOMIC_MOVE);
        }
        moveCompanions(database, meanwhile);
        return aside;
    }

    /// Returns an unused name for a store that is renamed. It has the time of the last change, so it is the same after a kill.
    private static Path aside(Path store) throws IOException {
        Instant time = Files.getLastModifiedTime(store).toInstant();
        while (Files.exists(aside(store, time), LinkOption.NOFOLLOW_LINKS)) {
            time = time.plusMillis(1);
        }
        return aside(store, time);
    }

    private static Path aside(Path store, Instant time) {
        return store.resolveSibling(PREFIX + MOMENT.format(time) + ".db");
    }

    /// Puts a renamed store back. If another database has its name already, gives it its final name.
    private static void endRenaming(Path database) throws IOException {
        Path replacing = database.resolveSibling(StoreFiles.REPLACING);
        try {
            Path target = Files.exists(database) ? aside(replacing) : database;
            moveCompanions(replacing, target);
            // The database last, because its name shows that this is unfinished.
            Files.move(replacing, target, StandardCopyOption.ATOMIC_MOVE);
            AtomicFile.syncNames(database.resolveSibling("."));
        } catch (NoSuchFileException e) {
            // No store is renamed, or another process has ended it meanwhile.
        }
    }

    /// Returns true if a `restore` was killed and [#repair] is needed, or if a `restore` is replacing the store now.
    public static boolean isUnfinished(Path folder) {
        try {
            return StoreFiles.find(folder.resolve(StoreFiles.REPLACING)).isPresent()
                    || !names(SqliteFile.in(folder)).isEmpty();
        } catch (IOException e) {
            throw StoreFiles.unreadable(folder, e);
        }
    }

    /// Undoes or completes a `restore` that was killed: puts the log back, removes the second name of the store, and deletes the parts
    /// of its copy. The caller holds the folder's lock, so that no `restore` runs.
    ///
    /// Errors: [CommandFailure].
    public static void repair(Path folder) {
        Path database = SqliteFile.in(folder);
        try {
            endRenaming(database);
            AtomicFile.deleteParts(database);
            for (Path aside : names(database)) {
                moveCompanions(aside, database);
                Files.deleteIfExists(aside);
            }
        } catch (IOException e) {
            throw CommandFailure.of("the store in " + folder
                    + " cannot be repaired after a 'petstore restore' that was killed", e);
        }
    }

    /// Returns the second names that a `restore` gave a file, if it is a store's.
    static List<Path> names(Path file) throws IOException {
        List<Path> names = new ArrayList<>();
        Optional<StoreFiles.DirectoryEntry> entry = StoreFiles.find(file).filter(found -> found.hardLinks() > 1);
        if (entry.isPresent() && file.endsWith(StoreFiles.DATABASE)) {
            try (DirectoryStream<Path> others = Files.newDirectoryStream(file.resolveSibling("."), PREFIX + "*.db")) {
                for (Path other : others) {
                    if (StoreFiles.find(other).filter(entry.get()::isSameFile).isPresent()) {
                        names.add(file.resolveSibling(other.getFileName()));
                    }
                }
            }
        }
        return names;
    }

    private static void moveCompanions(Path from, Path to) throws IOException {
        for (String suffix : StoreFiles.COMPANIONS) {
            moveIfPresent(StoreFiles.companion(from, suffix), StoreFiles.companion(to, suffix));
        }
    }

    /// Another process may have repaired the store meanwhile.
    private static boolean moveIfPresent(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
