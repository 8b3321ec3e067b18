package petstore.store.sqlite;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;
import petstore.CommandFailure;
import petstore.SafeText;
import petstore.files.AtomicFile;
import petstore.files.PrivateFiles;
import petstore.store.Database;
import petstore.store.Session;

/// Backups of a SQLite store: created while it is in use, verified, and restored.
public final class SqliteCopy {

    /// The passes of a backup over its pages: the copy, its checksum, and the checks of both.
    public static final int PASSES = 4;
    private static final int PAGES_PER_STEP = 1_000;
    private static final int COPY_BYTES = 1 << 20;
    private static final int SLEEP_MS = 10;
    private static final int ATTEMPTS = 1_000;

    private SqliteCopy() {
    }

    public static long pages(Path folder) {
        return perform("read", SqliteFile.in(folder), file -> {
            try (Session session = connectReader(file, ReadOnlyStore.find(file))) {
                return session.number("PRAGMA page_count");
            }
        });
    }

    /// Copies the store in `folder` to `target`, also while other processes write to it. The copy gets a checksum, is verified, and only
    /// then gets its name. A store with an older schema gets no checksum. Errors: [CommandFailure] also if `target` exists.
    ///
    /// @param now the time that the copy keeps as that of its last backup
    /// @param proves true to restore the copy into a scratch folder, too, before it gets its name
    /// @param progress gets the number of pages so far, up to [#PASSES] times those of the store
    public static VerifiedBackup backup(Path folder, Path target, Instant now, boolean proves, LongConsumer progress) {
        StoreFiles.requireNoCompanion(target);
        Path store = SqliteFile.in(folder);
        return perform("backed up", target, file -> AtomicFile.create(file, part -> {
            SqliteFile.requireOpenable(part, target);
            PrivateFiles.create(part);
            deleteCompanionsOnExit(part);
            try {
                VerifiedBackup backup = copy(store, part, now, progress);
                if (proves && restoredPets(part, now) != backup.pets()) {
                    throw new CommandFailure("the restored copy has not all animals; try again");
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
        long count = copyPages(store, part, progress);
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

    /// Returns the number of animals in a store that is restored from `backup`, in a scratch folder beside it.
    private static long restoredPets(Path backup, Instant now) throws SQLException, IOException {
        Path scratch = StoreFiles.companion(backup, "-restored");
        Path store = SqliteFile.in(scratch);
        PrivateFiles.createFolder(scratch);
        scratch.toFile().deleteOnExit();
        store.toFile().deleteOnExit();
        try {
            copyInto(scratch, backup, now, _ -> {
            });
            return verify(store).pets();
        } finally {
            Files.deleteIfExists(store);
            Files.deleteIfExists(scratch);
        }
    }

    private static Session connectReader(Path file, Optional<ReadOnlyStore> readOnly) throws SQLException {
        return readOnly.isPresent() ? SqliteFile.connectUnlocked(file) : SqliteFile.connectReader(file);
    }

    /// Copies the pages in one transaction, so that all steps see one state of the store.
    private static long copyPages(Path source, Path target, LongConsumer progress) throws SQLException {
        Optional<ReadOnlyStore> readOnly = ReadOnlyStore.find(source);
        try (Session session = connectReader(source, readOnly)) {
            session.execute("BEGIN");
            long count = session.number("SELECT count(*) FROM pet");
            int result = session.unwrap(SQLiteConnection.class).getDatabase().backup("main",
                    target.toAbsolutePath().toString(),
                    (remaining, pages) -> progress.accept((long) pages - remaining), SLEEP_MS, ATTEMPTS,
                    PAGES_PER_STEP);
            if (result != SQLiteErrorCode.SQLITE_OK.code) {
                throw SqliteErrors.exception(SQLiteErrorCode.getErrorCode(result));
            }
            session.execute("COMMIT");
            readOnly.ifPresent(ReadOnlyStore::requireUnchanged);
            return count;
        }
    }

    /// Deletes the companions of a part when the process ends, also by a signal.
    private static void deleteCompanionsOnExit(Path part) {
        StoreFiles.COMPANIONS.forEach(companion -> StoreFiles.companion(part, companion).toFile().deleteOnExit());
    }

    /// Changes a file that no other process has open, in one transaction, and leaves no companions.
    private static void change(Path part, Database.Work<?> change) throws SQLException, IOException {
        try (Session session = SqliteFile.connectWriter(part)) {
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

    /// Replaces the store in `folder` by a verified copy of `backup`. The caller holds the lock to replace it. If this fails, the store
    /// stays as it was. If the process is killed, [ReplacedStore#repair] puts it back.
    ///
    /// @param now the time in the name of the kept store
    /// @param progress gets the number of bytes copied so far
    public static Restored restore(Path backup, Path folder, Instant now, LongConsumer progress) {
        StoreFiles.inspect(SqliteFile.in(folder));
        return perform("restored", backup, _ -> copyInto(folder, backup, now, progress));
    }

    private static Restored copyInto(Path folder, Path backup, Instant now, LongConsumer progress)
            throws SQLException, IOException {
        Path file = SqliteFile.in(folder);
        try {
            return AtomicFile.write(file, part -> {
                SqliteFile.requireOpenable(part, folder);
                PrivateFiles.createForFolder(part);
                deleteCompanionsOnExit(part);
                copy(backup, part, progress);
                verify(part);
                OptionalLong lastId = ReplacedStore.lastPetId(file);
                change(part, session -> {
                    BackupChecksum.remove(session);
                    return Sqlite.raiseLastPetId(session, lastId.orElse(0));
                });
                // The next step must be short, because the replaced store has no log until it ends.
                AtomicFile.sync(part);
                return new Restored(ReplacedStore.keep(file, now), lastId.isPresent());
            });
        } finally {
            ReplacedStore.repair(folder);
        }
    }

    private static void copy(Path source, Path target, LongConsumer progress) throws IOException {
        byte[] buffer = new byte[COPY_BYTES];
        try (InputStream in = Files.newInputStream(source); OutputStream out = Files.newOutputStream(target)) {
            long copied = 0;
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                out.write(buffer, 0, read);
                copied += read;
                progress.accept(copied);
            }
        }
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
    /// @param hasChecksum false for a backup by an older version or by SQLite's own means
    public record VerifiedBackup(long pets, boolean hasChecksum) {
    }

    /// The result of a restore.
    ///
    /// @param kept the replaced store, or its orphaned logs; empty if there was none
    /// @param keepsIds false if ids of the replaced store may be used again, because it cannot be read
    public record Restored(List<Path> kept, boolean keepsIds) {
    }
}
