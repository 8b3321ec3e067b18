package petstore.store.sqlite;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import petstore.CommandFailure;
import petstore.Sha256;
import petstore.store.Session;

/// The checksum of a backup in a separate table, and the mark of a checksum in the file's header.
///
/// The first write to a store removes both. A mark without a checksum shows that the checksum was removed by other means.
final class BackupChecksum {

    /// The `application_id` of a backup: `PSbk` in ASCII.
    private static final String MARK = String.valueOf(0x5053626B);
    private static final String NO_MARK = "0";
    /// The number of rows that are read at once.
    private static final int ROWS = 1_000;

    private BackupChecksum() {
    }

    static boolean isMarked(Session session) throws SQLException {
        return mark(session).equals(MARK);
    }

    /// Returns true if the file itself has the mark, whatever its log has; false if it cannot be read.
    static boolean isMarked(Path database) {
        try (Session session = SqliteFile.connectUnlocked(database)) {
            return isMarked(session);
        } catch (SQLException e) {
            return false;
        }
    }

    /// Adds a checksum to a file that is not marked. The caller opens the transaction.
    static void add(Session session) throws SQLException {
        if (!isMarked(session)) {
            session.execute("INSERT INTO backup_checksum (sha256) VALUES ('" + sha256(session) + "')");
            session.execute("PRAGMA application_id = " + MARK);
        }
    }

    /// Removes checksum and mark from a marked file, before anything else changes. The caller opens the transaction.
    static void remove(Session session) throws SQLException {
        if (isMarked(session)) {
            session.execute("DELETE FROM backup_checksum");
            session.execute("PRAGMA application_id = " + NO_MARK);
        }
    }

    /// Returns true if a file has a checksum, and its contents match it; false if it has neither checksum nor mark. Errors:
    /// [CommandFailure] if checksum, mark and contents do not match.
    ///
    /// @param named the file to name in the message
    static boolean verify(Session session, Object named) throws SQLException {
        List<String> checksums = session.rows("SELECT sha256 FROM backup_checksum", row -> row.getString(1));
        if (checksums.isEmpty() && mark(session).equals(NO_MARK)) {
            return false;
        }
        if (!isMarked(session) || !checksums.equals(List.of(sha256(session)))) {
            throw new CommandFailure(named + " is damaged: its contents do not match its checksum; use another backup");
        }
        return true;
    }

    private static String mark(Session session) throws SQLException {
        return session.text("PRAGMA application_id");
    }

    /// Returns the SHA-256 of all other tables, those of SQLite included, as 64 hexadecimal digits.
    private static String sha256(Session session) throws SQLException {
        MessageDigest digest = Sha256.begin();
        for (String table : session.rows("SELECT name FROM sqlite_schema WHERE type = 'table'"
                + " AND name <> 'backup_checksum' AND " + SqliteSchema.NO_STATISTICS + " ORDER BY name",
                row -> row.getString(1))) {
            digest.update((table + ":").getBytes(StandardCharsets.UTF_8));
            digest(session, table, digest);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /// Digests the length and the stored bytes of every value, because different damaged texts may decode to the same characters. Many
    /// rows are read in one value, because a call into the driver costs more than a row.
    private static void digest(Session session, String table, MessageDigest digest) throws SQLException {
        String values = session.rows("SELECT name FROM pragma_table_info('" + table + "')", row -> row.getString(1))
                .stream()
                .map(column -> "coalesce(octet_length(%1$s), -1) || ':' || coalesce(%1$s, '')".formatted(column))
                .collect(Collectors.joining(" || "));
        PreparedStatement select = session.prepare("SELECT CAST(group_concat(" + values
                + ", '') AS BLOB), max(rowid) FROM " + table
                + " WHERE rowid > ?1 AND rowid <= coalesce((SELECT rowid FROM "
                + table + " WHERE rowid > ?1 ORDER BY rowid LIMIT 1 OFFSET " + ROWS + "), " + Long.MAX_VALUE + ")");
        long last = Long.MIN_VALUE;
        while (true) {
            select.setLong(1, last);
            try (ResultSet row = select.executeQuery()) {
                byte @Nullable [] rows = row.next() ? row.getBytes(1) : null;
                if (rows == null) {
                    return;
                }
                digest.update(rows);
                last = row.getLong(2);
            }
        }
    }
}
