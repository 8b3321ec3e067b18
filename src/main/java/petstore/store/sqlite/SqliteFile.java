package petstore.store.sqlite;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import org.sqlite.BusyHandler;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import petstore.Closer;
import petstore.CommandFailure;
import petstore.store.Database;
import petstore.store.Session;
import petstore.store.SqlFunction;
import petstore.store.TimeBudget;

/// The file of a SQLite store, and connections to it with the settings for durability and safety.
public final class SqliteFile {

    /// The longest wait for a lock of another process.
    static final Duration LOCK_PATIENCE = TimeBudget.SQLITE.connection();
    /// The interval between attempts.
    static final Duration LOCK_POLL = Duration.ofNanos(200_000);

    /// The size in bytes to which SQLite truncates the log. A long read lets it grow beyond that.
    static final int LARGEST_LOG = 16 * 1024 * 1024;

    /// The longest path that SQLite opens, in bytes: 512, less the suffix of a journal.
    private static final int LONGEST_PATH = 504;

    private static final String UNLOCKED = "?immutable=1&mode=ro";

    private SqliteFile() {
    }

    /// Returns true if there is a store in `folder`. Errors: [CommandFailure] if its files cannot be read, or must not be opened.
    public static boolean exists(Path folder) {
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new CommandFailure(folder + " is not a folder; choose another with --data");
        }
        StoreFiles.inspect(in(folder));
        StoreFiles.requireDatabaseOfLogs(in(folder));
        return Files.exists(in(folder));
    }

    public static Path in(Path folder) {
        return folder.resolve(StoreFiles.DATABASE);
    }

    static Path log(Path file) {
        return StoreFiles.companion(file, "-wal");
    }

    /// Returns the size of a file in bytes, 0 if it is missing; NaN if it is unknown.
    static double bytes(Path file) {
        try {
            return Files.exists(file) ? Files.size(file) : 0;
        } catch (IOException e) {
            return Double.NaN;
        }
    }

    /// Throws [CommandFailure] if the path of a file, with its links followed, is too long for SQLite.
    ///
    /// @param named the file or folder to name in the message
    public static void requireOpenable(Path file, Path named) {
        int bytes = resolved(file.toAbsolutePath()).toString().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > LONGEST_PATH) {
            throw new CommandFailure("the path of " + named + " is " + (bytes - LONGEST_PATH)
                    + " bytes too long for SQLite; choose a shorter path");
        }
    }

    private static Path resolved(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            Path parent = path.getParent();
            return parent == null ? path : resolved(parent).resolve(path.getFileName()).normalize();
        }
    }

    public static Session connectWriter(Path file) throws SQLException {
        return connectWriter(file, "normal");
    }

    /// Connects to a new file that no other process knows. Its log has no index, which a signal could leave behind.
    static Session connectAlone(Path file) throws SQLException {
        return connectWriter(file, "exclusive");
    }

    private static Session connectWriter(Path file, String lockingMode) throws SQLException {
        StoreFiles.inspect(file);
        return connect(file, "", session -> {
            waitForLocks(session, LOCK_PATIENCE);
            set(session, "locking_mode", lockingMode);
            set(session, "journal_mode", "wal");
            set(session, "synchronous", "2");
            set(session, "wal_autocheckpoint", "0");
            set(session, "journal_size_limit", String.valueOf(LARGEST_LOG));
            return opened(session);
        });
    }

    /// Connects to a store to read it. SQLite may create the log and its index, but changes neither the database nor the log: a
    /// connection that may write would move the log of a killed process into the database when it closes.
    public static Session connectReader(Path file) throws SQLException {
        StoreFiles.inspect(file);
        return connect(file, "?mode=ro", session -> {
            waitForLocks(session, LOCK_PATIENCE);
            return opened(session);
        });
    }

    /// Makes SQLite open the log, too, whose name may belong to another file later.
    private static Session opened(Session session) throws SQLException {
        session.text("PRAGMA schema_version");
        return bounded(session);
    }

    private static Session bounded(Session session) throws SQLException {
        set(session, "mmap_size", "0");
        set(session, "trusted_schema", "0");
        return session;
    }

    /// Connects to a file that no process changes, without locks and companions.
    static Session connectUnlocked(Path file) throws SQLException {
        StoreFiles.inspectAlone(file);
        return connect(file, UNLOCKED, SqliteFile::bounded);
    }

    /// Attaches such a file as the schema `backup`.
    static void attachUnlocked(Session session, Path file) throws SQLException {
        session.prepare("ATTACH ? AS backup", uri(file) + UNLOCKED).execute();
    }

    /// Makes a session wait for locks of other connections, at most `patience` for each statement. It looks at a fixed interval. SQLite's
    /// own handler sleeps longer and longer, and rarely finds the lock free between two commits of a busy process.
    static void waitForLocks(Session session, Duration patience) throws SQLException {
        BusyHandler.setHandler(session.unwrap(SQLiteConnection.class), new BusyHandler() {
            private long beginNs;

            @Override
            protected int callback(int triesBefore) {
                if (triesBefore == 0) {
                    beginNs = System.nanoTime();
                }
                LockSupport.parkNanos(LOCK_POLL.toNanos());
                return System.nanoTime() - beginNs < patience.toNanos() ? 1 : 0;
            }
        });
    }

    private static Session connect(Path file, String parameters, Database.Work<Session> setUp) throws SQLException {
        requireReadable(file);
        SqliteLibrary.load();
        SQLiteConfig config = new SQLiteConfig();
        config.setGetGeneratedKeys(false);
        requireOpenable(file, file);
        try (Closer opened = new Closer()) {
            Session session = setUp.on(opened.add(
                    new Session(config.createConnection("jdbc:sqlite:" + uri(file) + parameters))));
            opened.handOver();
            return session;
        }
    }

    /// Returns the URI of a file for SQLite. A path would end at a `?`.
    private static String uri(Path file) {
        return file.toAbsolutePath().toUri().toString();
    }

    /// Changes a setting, and reads it back as SQLite spells it.
    private static void set(Session session, String pragma, String value) throws SQLException {
        session.execute("PRAGMA " + pragma + " = " + value);
        String actual = session.text("PRAGMA " + pragma);
        if (!actual.equals(value)) {
            throw new CommandFailure(
                    "SQLite ignores the setting " + pragma + " = " + value + ": it stays " + actual);
        }
    }

    /// Opens a store, and tries again while another process that opens it holds a lock for which SQLite does not wait. Errors:
    /// [CommandFailure].
    static <T> T open(Path file, SqlFunction<Path, T> opening) {
        long beganNs = System.nanoTime();
        while (true) {
            try {
                return opening.on(file);
            } catch (SQLException e) {
                if (!SqliteErrors.isBusy(e) || System.nanoTime() - beganNs > LOCK_PATIENCE.toNanos()) {
                    throw cannotBe("opened", file, e);
                }
                LockSupport.parkNanos(LOCK_POLL.toNanos());
            }
        }
    }

    static CommandFailure cannotBe(String participle, Path file, SQLException e) {
        return new CommandFailure("the store " + file + " cannot be " + participle + ": " + SqliteErrors.reason(e, file)
                + (SqliteErrors.isDamage(e) ? SqliteErrors.RESTORE : ""),
                e);
    }

    /// Throws [CommandFailure] if this user may not read a file. SQLite would not report this reason.
    static void requireReadable(Path file) {
        if (Files.exists(file) && !Files.isReadable(file)) {
            throw new CommandFailure(file + " cannot be read: permission denied");
        }
    }
}
