package petstore.store.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import petstore.CommandFailure;
import petstore.store.Migrations;
import petstore.store.Session;

/// The state of an embedded store, which is only read.
///
/// @param schema the version of its schema; 0 if the database has no tables
/// @param checked the part of the store without damage, e.g. `all pages checked`
public record SqliteInspection(long bytes, long logBytes, int schema, String checked) {

    /// The longest check.
    public static final Duration DEADLINE = Duration.ofSeconds(10);
    /// The largest database whose pages are all checked: SQLite does not end such a check early.
    private static final long MOST_CHECKED_BYTES = 64L << 20;
    private static final int ROWS = 10_000;

    /// Reads the store in `folder`, which exists.
    ///
    /// Errors: [CommandFailure] if it is damaged, of a newer version, or cannot be read.
    ///
    /// @param deadline the time for animals of a large store; then the others are not checked
    public static SqliteInspection of(Path folder, Duration deadline) {
        return of(folder, deadline, MOST_CHECKED_BYTES);
    }

    static SqliteInspection of(Path folder, Duration deadline, long mostCheckedBytes) {
        Path file = SqliteFile.in(folder);
        SqliteFile.requireReadable(file);
        try (FolderLock lock = FolderLock.read(folder)) {
            lock.file().requireOneStore();
            return SqliteFile.open(file, path -> {
                try (Session session = SqliteFile.connectReader(path)) {
                    int schema = Migrations.SQLITE.version(session);
                    long bytes = (long) SqliteFile.bytes(file);
                    return new SqliteInspection(bytes, (long) SqliteFile.bytes(SqliteFile.log(file)), schema,
                            bytes <= mostCheckedBytes || schema == 0
                                    ? checkAll(session, file)
                                    : checkUntil(System.nanoTime() + deadline.toNanos(), session, file));
                }
            });
        }
    }

    private static String checkAll(Session session, Path file) throws SQLException {
        require(session, "PRAGMA quick_check(1)", file);
        return "all pages checked";
    }

    /// Checks all pages of the small tables, then the animals by ascending id.
    private static String checkUntil(long endNs, Session session, Path file) throws SQLException {
        for (String table : SqliteSchema.tables(session)) {
            if (!table.equals("pet")) {
                require(session, "PRAGMA quick_check('" + table + "')", file);
            }
        }
        String group = "SELECT max(id), total(length(name) + length(category_id)"
                + " + length(coalesce(status, ''))) FROM (SELECT * FROM pet WHERE id > ? ORDER BY id LIMIT " + ROWS
                + ")";
        long last = session.number("SELECT coalesce(max(id), 0) FROM pet");
        long checked = 0;
        while (checked < last && System.nanoTime() - endNs < 0) {
            checked = session.rows(group, row -> row.getLong(1), checked).getFirst();
        }
        return checked < last ? "animals checked up to id " + checked + " of " + last : "all animals checked";
    }

    private static void require(Session session, String check, Path file) throws SQLException {
        List<String> results = session.rows(check, row -> row.getString(1));
        if (!results.equals(List.of("ok"))) {
            throw new CommandFailure("the store " + file + " is damaged: " + results.getFirst() + SqliteErrors.RESTORE);
        }
    }
}
