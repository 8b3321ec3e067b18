package petstore.store.sqlite;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;

import org.jspecify.annotations.Nullable;
import petstore.CommandFailure;
import petstore.files.AtomicFile;
import petstore.files.PrivateFiles;
import petstore.store.Database;
import petstore.store.Migrations;
import petstore.store.Session;

/// The replacement of a store's rows by those of a backup.
///
/// A store that can be opened keeps its file: one transaction drops its tables and copies those of the backup. So a kill leaves the rows of
/// before or those of the backup, and a process that reads the store keeps its snapshot. A damaged store, or one whose database and log do
/// not belong together, gets another file.
public final class SqliteRestore {

    /// The passes of a restore: the verification of the backup, the copy of the replaced store, and the new rows.
    public static final int PASSES = 3;

    private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS")
            .withZone(ZoneOffset.UTC);
    private static final long MIB = 1 << 20;

    /// Tables that count changes. They rise with each restore.
    private static final Set<String> COUNTERS = Set.of("pet_change", "api_key_change");
    /// Tables that the migrations fill, or that only a backup has.
    private static final Set<String> NOT_COPIED = Set.of("schema_version", "backup_checksum");

    private final Path backup;
    private final Path store;
    private final Instant now;
    /// The greatest number that the replaced store has used, by table; null if it cannot be read.
    private @Nullable Map<String, Long> used;

    /// A replaced store.
    ///
    /// @param kept the copy of the replaced store, or of its orphaned logs; empty if there was none
    /// @param keepsIds false if ids of the replaced store may be used again, because it cannot be read
    public record Restored(SqliteCopy.VerifiedBackup backup, List<Path> kept, boolean keepsIds) {
    }

    private SqliteRestore(Path backup, Path store, Instant now) {
        this.backup = backup;
        this.store = store;
        this.now = now;
    }

    /// Verifies a backup, and replaces the store in `folder` by it, which no other process may use. Creates a missing folder.
    ///
    /// Errors: [CommandFailure]. The store is as it was then, unless the message says otherwise.
    ///
    /// @param now the time in the name of the kept store
    /// @param progress gets the number of passes so far
    public static Restored restore(Path backup, Path folder, Instant now, LongConsumer progress) {
        SqliteCopy.VerifiedBackup verified = SqliteCopy.verify(backup);
        progress.accept(1);
        SqliteRestore restore = new SqliteRestore(backup, SqliteFile.in(folder), now);
        try (FolderLock lock = FolderLock.replace(folder)) {
            restore.requireOtherFile();
            restore.requireSpace();
            List<Path> kept = restore.replace(lock, progress);
            progress.accept(PASSES);
            return new Restored(verified, kept, restore.used != null);
        } catch (IOException e) {
            throw CommandFailure.of(backup + " cannot be restored", e);
        } catch (SQLException e) {
            throw SqliteFile.cannotBe("replaced", restore.store, e);
        }
    }

    private void requireOtherFile() throws IOException {
        if (Files.exists(store) && Files.isSameFile(backup, store)) {
            throw new CommandFailure(backup + " is the store itself; name a backup");
        }
    }

    /// Refuses a disk without space for the copy of the store, and for a log and a database with the backup's rows.
    private void requireSpace() throws IOException {
        double before = SqliteFile.bytes(store);
        double after = Files.size(backup);
        double needed = before + SqliteFile.bytes(SqliteFile.log(store)) + Math.max(after, 2 * after - before);
        File disk = store.toAbsolutePath().resolveSibling("").toFile();
        if (disk.getTotalSpace() > 0 && disk.getUsableSpace() < needed) {
            throw new CommandFailure("the disk of " + store + " has " + disk.getUsableSpace() / MIB
                    + " MiB free; the restore needs " + (long) Math.ceil(needed / MIB)
                    + " for a while, for the old and the new animals: free some space");
        }
    }

    private List<Path> replace(FolderLock lock, LongConsumer progress) throws IOException, SQLException {
        boolean hasDatabase = StoreFiles.hasContent(store);
        if (hasDatabase && lock.file().isOfOneStore() && isWhole()) {
            return replaceRows(lock, progress);
        }
        if (!hasDatabase && !StoreFiles.hasLog(store)) {
            used = Map.of();
        }
        return replaceFile(hasDatabase);
    }

    /// Reads the store, because a connection that writes would change a damaged one before it is kept.
    private boolean isWhole() throws SQLException {
        try (Session session = SqliteFile.connectReader(store)) {
            used = usedNumbers(session);
            return session.text("PRAGMA quick_check(1)").equals("ok");
        } catch (SQLException e) {
            if (SqliteErrors.isDamage(e)) {
                return false;
            }
            throw e;
        }
    }

    private List<Path> replaceRows(FolderLock lock, LongConsumer progress) throws IOException, SQLException {
        Path kept = kept(".db");
        StoreFiles.requireNoCompanion(kept);
        try (Session session = SqliteFile.connectWriter(store)) {
            OpenFiles files = new OpenFiles(store, lock);
            files.settle(session);
            attachBackup(session);
            SqliteWriter.inTransaction(session, Database.Work.of(locked -> {
                used = usedNumbers(locked);
                keep(kept);
                progress.accept(2);
                try {
                    copyTables(locked);
                } catch (SQLException | RuntimeException | Error e) {
                    kept.toFile().delete();
                    throw e;
                }
            }));
            files.findLoss().ifPresent(reason -> {
                throw new CommandFailure("the restore is lost: " + reason + "; the store before is kept as " + kept);
            });
            try {
                if (session.number(
                        "SELECT freelist_count > page_count / 2 FROM pragma_freelist_count, pragma_page_count") > 0) {
                    // Backups would have the size of the store before. The log has the rows once, not twice.
                    Checkpoints.complete(session);
                    session.execute("VACUUM main");
                }
                Checkpoints.complete(session);
            } catch (SQLException e) {
                throw new CommandFailure(backup + " is restored, but only in the store's log: "
                        + SqliteErrors.reason(e, store) + "; the next start moves it into the store", e);
            }
        }
        return List.of(kept);
    }

    /// Gives the store another file, and keeps copies of its files. A kill leaves, in this order: the old files; their copies, too; the log
    /// alone, which every other command refuses; the new file with an empty log.
    private List<Path> replaceFile(boolean hasDatabase) throws IOException, SQLException {
        return AtomicFile.write(store, part -> {
            SqliteFile.requireOpenable(part, store);
            SqliteCopy.deleteCompanionsOnExit(part);
            create(part);
            List<Path> kept = new ArrayList<>();
            for (String suffix : List.of("", "-wal", "-journal")) {
                Path file = StoreFiles.companion(store, suffix);
                if (StoreFiles.hasContent(file)) {
                    Path name = kept(hasDatabase ? ".db" + suffix : suffix.replace('-', '.'));
                    AtomicFile.create(name, copy -> Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES));
                    kept.add(name);
                }
            }
            if (!kept.isEmpty()) {
                removeFiles();
            }
            return kept;
        });
    }

    /// Leaves an empty log, because commands would take a folder without it for a new one.
    private void removeFiles() throws IOException {
        try (FileChannel log = PrivateFiles.openForFolder(SqliteFile.log(store))) {
            AtomicFile.syncNames(store.resolveSibling("."));
            for (String suffix : List.of("", "-journal", "-shm")) {
                Files.deleteIfExists(StoreFiles.companion(store, suffix));
            }
            AtomicFile.syncNames(store.resolveSibling("."));
            log.truncate(0).force(true);
        }
    }

    /// Creates a store from a verified backup.
    static void create(Path store, Path backup) throws IOException, SQLException {
        new SqliteRestore(backup, store, Instant.EPOCH).create(store);
    }

    private void create(Path file) throws IOException, SQLException {
        PrivateFiles.createForFolder(file);
        try (Session session = SqliteFile.connectAlone(file)) {
            attachBackup(session);
            SqliteWriter.inTransaction(session, Database.Work.of(this::copyTables));
            Checkpoints.empty(session);
        }
    }

    private void attachBackup(Session session) throws SQLException {
        // Pages that do not fit into the cache go to the log early, some of them twice.
        session.execute("PRAGMA cache_size = -8192");
        SqliteFile.attachUnlocked(session, backup);
    }

    private static Map<String, Long> usedNumbers(Session session) throws SQLException {
        Map<String, Long> numbers = new HashMap<>();
        if (session.number("SELECT count(*) FROM main.sqlite_schema WHERE name = 'sqlite_sequence'") > 0) {
            session.rows("SELECT name, seq FROM main.sqlite_sequence",
                    row -> numbers.put(row.getString(1), row.getLong(2)));
        }
        for (String table : SqliteSchema.tables(session)) {
            if (COUNTERS.contains(table)) {
                numbers.put(table, session.number("SELECT max(changes) FROM main." + table));
            }
        }
        return numbers;
    }

    /// Gives the store the schema, the rows and the used numbers of the backup. No number that the store has used comes back. The caller
    /// opens the transaction.
    private void copyTables(Session session) throws SQLException {
        SqliteSchema.drop(session, "view", "trigger", "table");
        Migrations.SQLITE.run(session, (int) session.number("SELECT max(version) FROM backup.schema_version"));
        // SQLite copies whole records, index by index, into tables that are empty and have no triggers.
        List<String> triggers = session.rows("SELECT sql FROM main.sqlite_schema WHERE type = 'trigger'",
                row -> row.getString(1));
        SqliteSchema.drop(session, "trigger");
        for (String table : SqliteSchema.tables(session)) {
            if (!NOT_COPIED.contains(table)) {
                session.execute("DELETE FROM main." + table);
                session.execute("INSERT INTO main." + table + " SELECT * FROM backup." + table);
            }
        }
        for (String trigger : triggers) {
            session.execute(trigger);
        }
        session.execute("DELETE FROM main.sqlite_sequence");
        session.execute("INSERT INTO main.sqlite_sequence (name, seq) SELECT name, seq FROM backup.sqlite_sequence");
        Map<String, Long> before = used == null ? Map.of() : used;
        Sqlite.raiseLastId(session, before.getOrDefault("pet", 0L));
        for (String table : COUNTERS) {
            session.execute("UPDATE main." + table + " SET changes = max(changes, " + before.getOrDefault(table, 0L)
                    + ") + 1");
        }
        session.execute("PRAGMA main.user_version = " + session.text("PRAGMA backup.user_version"));
        session.execute("PRAGMA main.application_id = 0");
    }

    /// Copies the store with its log into one file.
    private void keep(Path kept) throws SQLException {
        try {
            AtomicFile.<Path, SQLException>create(kept, part -> {
                PrivateFiles.createForFolder(part);
                SqliteCopy.deleteCompanionsOnExit(part);
                try (Session source = SqliteFile.connectReader(store)) {
                    SqliteCopy.copyPages(source, part, _ -> {
                    });
                }
                return part;
            });
        } catch (IOException e) {
            throw CommandFailure.of(kept + " cannot be written", e);
        }
    }

    private Path kept(String suffix) {
        return store.resolveSibling("replaced-" + MOMENT.format(now) + suffix);
    }
}
