package petstore.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

import petstore.IdempotencyKey;

/// Which requests have been carried out, in the table `idempotency`; moments are milliseconds since 1970-01-01T00:00:00Z.
final class SqlIdempotency {

    private static final String FIND = "SELECT fingerprint, pet_id FROM idempotency"
            + " WHERE owner = ? AND operation = ? AND idempotency_key = ? AND received_ms > ?";
    private static final String FORGET = "DELETE FROM idempotency"
            + " WHERE owner = ? AND operation = ? AND idempotency_key = ?";
    private static final String RECORD = "INSERT INTO idempotency"
            + " (owner, operation, idempotency_key, fingerprint, pet_id, received_ms) VALUES (?, ?, ?, ?, ?, ?)";
    /// The oldest few, as far as they are out of date or too many are younger.
    private static final String PURGE = "DELETE FROM idempotency WHERE id IN (SELECT id FROM"
            + " (SELECT id, received_ms FROM idempotency ORDER BY id LIMIT 4) AS oldest"
            + " WHERE received_ms <= ? OR id <= (SELECT max(id) FROM idempotency) - ?)";
    private static final long MOST_KEPT = 10_000_000;

    /// A request that has been carried out.
    ///
    /// @param petId the animal that it added
    record Entry(String fingerprint, long petId) {
    }

    private SqlIdempotency() {
    }

    /// The request that was carried out under this name; absent when there is none that is still kept.
    static Optional<Entry> find(Session session, IdempotencyKey key) throws SQLException {
        PreparedStatement select = session.prepare(FIND);
        setName(select, key);
        select.setLong(4, oldest(key));
        return Session.rows(select, row -> new Entry(row.getString(1), row.getLong(2))).stream().findFirst();
    }

    /// Records a request that is carried out in the same transaction, and forgets a few that are kept no longer: as more are
    /// forgotten than recorded, they do not pile up.
    static void record(Session session, IdempotencyKey key, long petId) throws SQLException {
        PreparedStatement forget = session.prepare(FORGET);
        setName(forget, key);
        forget.executeUpdate();
        PreparedStatement insert = session.prepare(RECORD);
        setName(insert, key);
        insert.setString(4, key.fingerprint());
        insert.setLong(5, petId);
        insert.setLong(6, key.received().toEpochMilli());
        insert.executeUpdate();
        PreparedStatement purge = session.prepare(PURGE);
        purge.setLong(1, oldest(key));
        purge.setLong(2, MOST_KEPT);
        purge.executeUpdate();
    }

    private static void setName(PreparedStatement statement, IdempotencyKey key) throws SQLException {
        statement.setString(1, key.name().owner());
        statement.setString(2, key.name().operation());
        statement.setString(3, key.name().key());
    }

    /// The moment before which requests are kept no longer.
    private static long oldest(IdempotencyKey key) {
        Instant oldest = key.received().minus(key.retention());
        return oldest.toEpochMilli();
    }
}
