package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.function.LongConsumer;

import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;
import petstore.CommandFailure;
import petstore.SafeText;
import petstore.files.AtomicFile;
import petstore.files.PrivateFiles;
import petstore.store.Database;
import petstore.store.Session;

/// Backups of a SQLite store: created while it is in use, and verified.
public final class SqliteCopy {

    /// The passes of a backup over its pages: the copy, its checksum, and the checks of both.
    public static final int PASSES = 4;
    private static final int PAGES_PER_STEP = 1_000;
    private static final int SLEEP_MS = 10;
    private static final int ATTEMPTS = 1_000;

    private SqliteCopy() {
    }

    public static long pages(Path folder) {
        return perform("read", SqliteFile.in(folder), file -> {
            try (Session session = SqliteFile.connectReader(file)) {
                return session.number("PRAGMA page_count");
            }
        });
    }

    /// Copies the store in `folder` to `target`, also while other processes write to it. The copy gets a checksum, is verified, and only
    /// then gets its name. Errors: [CommandFailure] also if `target` exists.
    ///
    /// @param now the time that the copy keeps as that of its last backup
    /// @param proves true to restore the copy into a scratch folder, too, before it gets its name
    /// @param progress gets the number of pages so far, up to [#PASSES] times those of the store
    public static VerifiedBackup backup(Path folder, Path target, Instant now, boolean proves, LongConsumer progress) {
        StoreFiles.requireNoCompanion(target);
        Path store = SqliteFile.in(folder);
        try (FolderLock lock = FolderLock.read(folder)) {
            lock.file().requireOneStore();
            return create(store, target, now, proves, progress);
        }
    }

    private static VerifiedBackup create(Path store, Path target, Instant now, boolean proves, LongConsumer progress) {
        return perform("backed up", target, file -> AtomicFile.create(file, part -> {
            SqliteFile.requireOpenable(part, target);
            PrivateFiles.create(part);
            deleteCompanionsOnExit(part);
            try {
                VerifiedBackup backup = copy(store, part, now, progress);
                if (proves) {
                    prove(part);
                }
                return backup;
            } catch (SQLException e) {
                if (SqliteErrors.isDamage(e)) {
                    throw SqliteFile.cannotBe("backed up", store, e);
                }
                throw e;
            }
        }));
    }

    private static VerifiedBackup copy(Path store, Path part, Instant now, LongConsumer progress)
            throws SQLException, IOException {
        long count;
        try (Session session = SqliteFile.connectReader(store)) {
            session.execute("BEGIN");
            count = session.number("SELECT count(*) FROM pet");
            copyPages(session, part, progress);
            session.execute("COMMIT");
        }
        change(part, Database.Work.of(session -> {
            SqliteSchema.requireUnaltered(session, store);
            BackupTime.write(session, now);
            BackupChecksum.add(session);
        }));
        VerifiedBackup backup = verify(part, store, progress);
        if (backup.pets() != count) {
            throw new CommandFailure("the copy has not all animals; try again");
        }
        return backup;
    }

    /// Restores a backup in a scratch folder beside it.
    private static void prove(Path backup) throws SQLException, IOException {
        Path scratch = StoreFiles.companion(backup, "-restored");
        Path store = SqliteFile.in(scratch);
        PrivateFiles.createFolder(scratch);
        scratch.toFile().deleteOnExit();
        store.toFile().deleteOnExit();
        try {
            SqliteRestore.create(store, backup);
        } finally {
            Files.deleteIfExists(store);
            Files.deleteIfExists(scratch);
        }
    }

    /// Copies the pages of one state of the store.
    static void copyPages(Session source, Path target, LongConsumer progress) throws SQLException {
        int result = source.unwrap(SQLiteConnection.class).getDatabase().backup("main",
                target.toAbsolutePath().toString(),
                (remaining, pages) -> progress.accept((long) pages - remaining), SLEEP_MS, ATTEMPTS, PAGES_PER_STEP);
        if (result != SQLiteErrorCode.SQLITE_OK.code) {
            throw SqliteErrors.exception(SQLiteErrorCode.getErrorCode(result));
        }
    }

    /// Deletes the companions of a part when the process ends, also by a signal.
    static void deleteCompanionsOnExit(Path part) {
        StoreFiles.COMPANIONS.forEach(companion -> StoreFiles.companion(part, companion).toFile().deleteOnExit());
    }

    /// Changes a file that no other process has open, in one transaction, and leaves no companions.
    private static void change(Path part, Database.Work<?> change) throws SQLException, IOException {
        try (Session session = SqliteFile.connectAlone(part)) {
            SqliteWriter.inTransaction(session, change);
            Checkpoints.empty(session);
        } finally {
            for (String companion : StoreFiles.COMPANIONS) {
                Files.deleteIfExists(StoreFiles.companion(part, companion));
            }
        }
    }

    /// Verifies a backup: its schema, its integrity, and its checksum if it has one. Errors: [CommandFailure].
    public static VerifiedBackup verify(Path file) {
        return verify(file, file, _ -> {
        });
    }

    /// @param named the file to name in messages
    private static VerifiedBackup verify(Path file, Path named, LongConsumer progress) {
        return perform("read", named, _ -> {
            StoreFiles.findLog(file).ifPresent(log -> {
                throw new CommandFailure(file + " is incomplete: a part of it is in " + log
                        + "; '" + SafeText.command("backup") + "' makes a complete copy");
            });
            try (Session session = SqliteFile.connectUnlocked(file)) {
                SqliteSchema.requireUnaltered(session, named);
                long pages = session.number("PRAGMA page_count");
                progress.accept(2 * pages);
                String result = session.text("PRAGMA integrity_check(1)");
                if (!result.equals("ok")) {
                    throw new CommandFailure(named + " is damaged: " + result
                            + (named.equals(file) ? "" : SqliteErrors.RESTORE));
                }
                progress.accept(3 * pages);
                boolean hasChecksum = BackupChecksum.verify(session, named);
                progress.accept(PASSES * pages);
                return new VerifiedBackup(session.number("SELECT count(*) FROM pet"), hasChecksum);
            }
        });
    }

    private static <T> T perform(String participle, Path file, AtomicFile.Writer<T, SQLException> step) {
        try {
            return step.write(file);
        } catch (IOException e) {
            throw CommandFailure.of(file + " cannot be " + participle, e);
        } catch (SQLException e) {
            throw new CommandFailure(file + " cannot be " + participle + ": " + SqliteErrors.reason(e, file), e);
        }
    }

    /// A backup that was verified.
    ///
    /// @param hasChecksum false for a copy by SQLite's own means, or a store that a restore has replaced
    public record VerifiedBackup(long pets, boolean hasChecksum) {
    }
}
