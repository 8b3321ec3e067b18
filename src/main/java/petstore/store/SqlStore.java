package petstore.store;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.LongConsumer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import petstore.Catalogue;
import petstore.KeyRing;
import petstore.store.postgres.DatabaseWait;
import petstore.store.postgres.Postgres;
import petstore.store.postgres.PostgresUri;
import petstore.store.queue.Batcher;
import petstore.store.sqlite.Sqlite;
import petstore.store.sqlite.SqliteCopy;
import petstore.store.sqlite.SqliteFile;
import petstore.store.sqlite.VerifiedBackup;

/// An open store: its catalogue and its key ring over one database.
///
/// ```java
/// try (SqlStore store = SqlStore.openSqlite(Path.of("data"), Migrate.AUTO)) {
///     Pet pet = store.catalogue().add(new NewPet("Whiskers", 7, Optional.empty())).join();
/// }
/// ```
public final class SqlStore implements AutoCloseable {

    /// What the gauge `petstore.store.waiting` shows of each queue.
    public static final String WAITING = "What waits in a queue of the store.";

    private final Database database;
    private final SqlCatalogue catalogue;
    private final SqlKeyRing keys;
    private final Batcher<Boolean, Boolean> checks;

    private SqlStore(Database database, MeterRegistry meters) {
        this.database = database;
        this.catalogue = new SqlCatalogue(database, meters);
        this.keys = new SqlKeyRing(database, meters);
        this.checks = new Batcher<>("store-check", 1, database.patience(), this::checkNow, meters);
        Gauge.builder("petstore.store.waiting", database::waitingReads).description(WAITING).tag("queue", "readers")
                .register(meters);
        Gauge.builder("petstore.store.size", database::bytes).description("What the store takes, without its log.")
                .baseUnit("bytes").register(meters);
        Gauge.builder("petstore.store.log.size", database::logBytes)
                .description("The embedded store's write-ahead log; 0 for PostgreSQL.").baseUnit("bytes")
                .register(meters);
    }

    /// Opens the SQLite store in `folder` for a command, which uses one connection and no thread. Otherwise as [#serveSqlite].
    public static SqlStore openSqlite(Path folder, Migrate migrate) {
        return new SqlStore(Sqlite.forCommand(folder, migrate, true), new CompositeMeterRegistry());
    }

    /// Opens the SQLite store in `folder` for a command that only reads. If its folder or file cannot be written, the store is read
    /// without locks, and a read fails if the file changes meanwhile. Otherwise as [#openSqlite].
    public static SqlStore openSqliteToRead(Path folder, Migrate migrate) {
        return new SqlStore(Sqlite.forCommand(folder, migrate, false), new CompositeMeterRegistry());
    }

    /// Opens the SQLite store in `folder`, making both when they are not there.
    ///
    /// Several processes may have one store open.
    ///
    /// Errors: [petstore.Failure] of kind `UNAVAILABLE` with a message for the
    /// operator: the folder cannot be written, the file is no store, was made by a newer version, or by an older one when
    /// `migrate` refuses that, or SQLite does not take a setting on which durability rests.
    ///
    /// @param migrate what is done about an older schema
    /// @param onLostDisk called once, from a thread that writes, when the disk fails to keep what it was given: from then on
    ///        every write is refused, and only a new start, which reads the log again, can tell what was kept
    /// @param meters where the store's measurements are kept
    public static SqlStore serveSqlite(Path folder, Migrate migrate, Runnable onLostDisk, MeterRegistry meters) {
        return new SqlStore(Sqlite.forService(folder, migrate, onLostDisk), meters);
    }

    /// Opens the store in a PostgreSQL database to serve it: what takes long fails. Several processes may.
    ///
    /// Errors: [petstore.Failure] of kind `UNAVAILABLE` with a message for the operator: the database cannot be reached, refuses
    /// the password, has a schema that is refused, or settings with which it would lose what it is given.
    ///
    /// @param readers how many requests may read at once
    /// @param wait how long to wait for a database that cannot commit
    /// @param meters where the store's measurements are kept
    public static SqlStore servePostgres(PostgresUri uri, Migrate migrate, int readers, DatabaseWait wait,
            MeterRegistry meters) {
        return new SqlStore(Postgres.forService(uri, migrate, readers, wait), meters);
    }

    /// Opens the store in a PostgreSQL database for a command, which may take long. Errors: as for [#servePostgres].
    ///
    /// @param toWrite whether the command changes the store
    public static SqlStore openPostgres(PostgresUri uri, Migrate migrate, boolean toWrite) {
        return new SqlStore(Postgres.forCommand(uri, migrate, toWrite), new CompositeMeterRegistry());
    }

    /// Whether there is a SQLite store in `folder`. Errors: [petstore.Failure] of kind `UNAVAILABLE` when that cannot be told.
    public static boolean hasSqlite(Path folder) {
        return SqliteFile.exists(folder);
    }

    /// Does nothing if SQLite can open a store in `folder`, which need not exist. Errors: [petstore.Failure] of kind `UNAVAILABLE` if
    /// its path is too long.
    public static void requireOpenable(Path folder) {
        SqliteFile.requireOpenable(SqliteFile.in(folder), folder);
    }

    /// How many pages the SQLite store in `folder` has: what a backup's progress counts.
    public static long sqlitePages(Path folder) {
        return SqliteCopy.pages(folder);
    }

    /// Copies the SQLite store in `folder` to `target` as it is now, beside others that write to it, and verifies the copy before
    /// it gets its name. Errors: [petstore.Failure] of kind `UNAVAILABLE`.
    ///
    /// @param progress is told the pages copied
    public static VerifiedBackup backupSqlite(Path folder, Path target, LongConsumer progress) {
        return SqliteCopy.backup(folder, target, progress);
    }

    /// Verifies that a file is a whole SQLite store with an unaltered schema and the contents it was made with. Errors:
    /// [petstore.Failure] of kind `UNAVAILABLE` that says what is wrong with it.
    public static VerifiedBackup verifySqlite(Path file) {
        return SqliteCopy.verify(file);
    }

    /// Puts a copy of `backup` in the place of the SQLite store in `folder`, which no other process may change or serve. Errors:
    /// [petstore.Failure] of kind `UNAVAILABLE`; nothing is replaced then.
    ///
    /// @param now gives the kept store its name
    public static Restored restoreSqlite(Path backup, Path folder, Instant now) {
        return SqliteCopy.restore(backup, folder, now);
    }

    /// The result of a restore.
    ///
    /// @param kept the replaced store, or the logs that were left of one; empty if there was none
    /// @param keepsIds false if ids of the replaced store may be given out again, because it cannot be read
    public record Restored(List<Path> kept, boolean keepsIds) {
    }

    /// Copies everything in this store to `target`, which must be empty, and compares both before the copy is kept: nothing of it
    /// is when this fails. This store stays as it is.
    ///
    /// Errors: [petstore.Failure] of kind `UNAVAILABLE` that says what is wrong.
    ///
    /// @param progress is told the animals copied and compared, two for each at the end
    /// @return what both stores have
    public Contents copyTo(SqlStore target, LongConsumer progress) {
        return StoreCopy.copy(database, target.database, progress);
    }

    public Catalogue catalogue() {
        return catalogue;
    }

    public KeyRing keys() {
        return keys;
    }

    /// Does nothing when the store has the schema that this program needs, can be read and written to, and its disk has not failed;
    /// a full disk does not count. Whoever asks while the store is being looked at waits for the next look, which is one for all of
    /// them: nobody needs a key to ask, and all together take one connection.
    /// Errors: [petstore.Failure] of kind `UNAVAILABLE`.
    public void check() {
        try {
            checks.submit(true).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private List<Boolean> checkNow(List<Boolean> requests) {
        database.check();
        return requests;
    }

    /// Refuses new work, finishes what is waiting, and closes every connection.
    @Override
    public void close() {
        catalogue.close();
        keys.close();
        checks.close();
        database.close();
    }
}
