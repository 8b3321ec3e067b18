package petstore.sql;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import petstore.Failure;
import petstore.PrivateFiles;
import petstore.WholeFile;

/// Copies of a SQLite store: made while it is in use, verified before they are trusted, put in its place.
final class SqliteCopy {

    private static final int PAGES_PER_STEP = 1_000;
    private static final int SLEEP_MS = 10;
    private static final int ATTEMPTS = 1_000;

    /// What SQLite appends to the name of a file for those that it makes beside it.
    private static final List<String> COMPANIONS = List.of("-wal", "-shm");

    private SqliteCopy() {
    }

    /// How many pages the store in `folder` has.
    static long pages(Path folder) {
        return perform("read", SqliteFile.in(folder), file -> {
            try (Session session = SqliteFile.connectReader(file)) {
                return Long.parseLong(session.text("PRAGMA page_count"));
            }
        });
    }

    /// Copies the store in `folder` as it is now to `target`, beside others that write to it, adds a checksum to the copy, verifies
    /// it, and gives it its name only then. A store whose schema is older gets no checksum.
    ///
    /// @param progress is told the pages copied
    static VerifiedBackup backup(Path folder, Path target, LongConsumer progress) {
        return perform("backed up", target, file -> WholeFile.write(file, part -> {
            SqliteFile.requireOpenable(part, target);
            PrivateFiles.create(part);
            Path store = SqliteFile.in(folder);
            long count = copy(store, part, progress);
            change(part, session -> {
                SqliteSchema.requireUnaltered(session, store);
                BackupChecksum.add(session);
            });
            VerifiedBackup backup = verify(part, store);
            if (backup.pets() != count) {
                throw Failure.unavailable("the copy has not all animals; try again");
            }
            return backup;
        }));
    }

    /// The transaction holds on to one state of the store for all steps.
    private static long copy(Path source, Path target, LongConsumer progress) throws SQLException {
        try (Session session = SqliteFile.connectReader(source)) {
            session.execute("BEGIN");
            long count = Long.parseLong(session.text("SELECT count(*) FROM pet"));
            int result = session.unwrap(SQLiteConnection.class).getDatabase().backup("main",
                    target.toAbsolutePath().toString(),
                    (remaining, pages) -> progress.accept((long) pages - remaining), SLEEP_MS, ATTEMPTS,
                    PAGES_PER_STEP);
            if (result != SQLiteErrorCode.SQLITE_OK.code) {
                SQLiteErrorCode code = SQLiteErrorCode.getErrorCode(result);
                throw new SQLiteException(code.toString(), code);
            }
            session.execute("COMMIT");
            return count;
        }
    }

    /// Changes a file that nobody else has open, in one transaction, and leaves nothing beside it.
    private static void change(Path part, Change change) throws SQLException, IOException {
        try (Session session = SqliteFile.connectWriter(part)) {
            Sqlite.inTransaction(session, inside -> {
                change.on(inside);
                return inside;
            });
            // To close a file does this too, but says nothing if it fails.
            session.execute("PRAGMA wal_checkpoint(TRUNCATE)");
        } finally {
            for (String companion : COMPANIONS) {
                Files.deleteIfExists(part.resolveSibling(part.getFileName() + companion));
            }
        }
    }

    /// Verifies that a file is a whole store that this version can serve, with an unaltered schema and, if it has a checksum, the
    /// contents it was made with.
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE` that says what is wrong with it.
    static VerifiedBackup verify(Path file) {
        return verify(file, file);
    }

    /// @param named the file to name in messages
    private static VerifiedBackup verify(Path file, Path named) {
        return perform("read", file, _ -> {
            if (length(SqliteFile.log(file)) > 0) {
                throw Failure.unavailable(file + " is in use, or was: a part of it is in " + SqliteFile.log(file)
                        + "; 'petstore backup' makes a whole copy");
            }
            SqliteLibrary.load();
            try (Connection connection = DriverManager.getConnection(SqliteFile.url(file) + "?immutable=1&mode=ro");
                    Session session = new Session(connection)) {
                SqliteSchema.requireUnaltered(session, named);
                String result = session.text("PRAGMA integrity_check(1)");
                if (!result.equals("ok")) {
                    throw Failure.unavailable(named + " is damaged: " + result);
                }
                boolean hasChecksum = BackupChecksum.verify(session, named);
                return new VerifiedBackup(Long.parseLong(session.text("SELECT count(*) FROM pet")), hasChecksum);
            }
        });
    }

    private static long length(Path file) throws IOException {
        return Files.exists(file) ? Files.size(file) : 0;
    }

    /// Puts a verified copy of `backup` in the place of the store in `folder`, which nobody else may have open.
    ///
    /// @param aside where the replaced store is kept
    /// @return whether ids that the replaced store gave out are not given out again; false when it is too damaged to tell them
    static boolean restore(Path backup, Path folder, Path aside) {
        Path file = SqliteFile.in(folder);
        return perform("restored", backup, copied -> WholeFile.write(file, part -> {
            SqliteFile.requireOpenable(part, folder);
            PrivateFiles.create(part);
            try (OutputStream out = Files.newOutputStream(part)) {
                Files.copy(copied, out);
            }
            verify(part);
            boolean replaces = Files.exists(file);
            OptionalLong lastId = replaces ? lastPetId(file) : OptionalLong.of(0);
            change(part, session -> {
                BackupChecksum.remove(session);
                if (lastId.isPresent()) {
                    Sqlite.raiseLastPetId(session, lastId.getAsLong());
                }
            });
            if (!replaces) {
                return true;
            }
            // From here on it must not take long: the store that is replaced has no log for a moment.
            WholeFile.sync(part);
            keepAside(file, aside);
            return lastId.isPresent();
        }));
    }

    /// The greatest id that a store gave out, 0 when it was never finished; absent when it is damaged, for which one restores.
    private static OptionalLong lastPetId(Path store) {
        return perform("read", store, file -> {
            try (Session session = SqliteFile.connectWriter(file)) {
                boolean hasIds = session.text("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'")
                        .equals("1");
                return OptionalLong.of(hasIds ? Sqlite.lastPetId(session) : 0);
            } catch (SQLException e) {
                if (isDamage(e)) {
                    return OptionalLong.empty();
                }
                throw e;
            }
        });
    }

    private static boolean isDamage(SQLException e) {
        return e instanceof SQLiteException sqlite && (sqlite.getResultCode() == SQLiteErrorCode.SQLITE_NOTADB
                || (sqlite.getResultCode().code & 0xFF) == SQLiteErrorCode.SQLITE_CORRUPT.code);
    }

    /// The store keeps its name until the other takes it, so that there is one at every moment.
    private static void keepAside(Path file, Path aside) throws IOException {
        Files.createLink(aside, file);
        for (String log : COMPANIONS) {
            Path from = file.resolveSibling(file.getFileName() + log);
            if (Files.exists(from)) {
                Files.move(from, aside.resolveSibling(aside.getFileName() + log));
            }
        }
    }

    /// A change of a file.
    @FunctionalInterface
    private interface Change {
        void on(Session session) throws SQLException;
    }

    /// What is done with a file.
    @FunctionalInterface
    private interface Step<T> {
        T on(Path file) throws SQLException, IOException;
    }

    private static <T> T perform(String what, Path file, Step<T> step) {
        try {
            return step.on(file);
        } catch (IOException e) {
            throw Failure.unavailable(file + " cannot be " + what, e);
        } catch (SQLException e) {
            throw new Failure(Failure.Kind.UNAVAILABLE, file + " cannot be " + what + ": "
                    + (Sqlite.isFullDisk(e) ? "the disk is full" : e.getMessage()), e);
        }
    }
}
