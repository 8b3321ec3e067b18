package petstore.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import petstore.IdempotencyKey;

/// Which requests have been carried out, in the table `idempotency`; moments are milliseconds since 1970-01-01T00:00:00Z.
final class SqlIdempotency {

    private static final String COLUMNS = "owner, operation, idempotency_key, fingerprint, pet_id, received_ms";
    private static final String FIND = "SELECT " + COLUMNS
            + " FROM idempotency WHERE (owner, operation, idempotency_key) IN (VALUES ";
    private static final String FORGET = "DELETE FROM idempotency"
            + " WHERE owner = ? AND operation = ? AND idempotency_key = ?";
    private static final String RECORD = "INSERT INTO idempotency (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?)";
    /// Of the oldest few: those that are out of date, those of the future, and those that have too many behind them.
    private static final String PURGE = "DELETE FROM idempotency WHERE id IN (SELECT id FROM"
            + " (SELECT id, received_ms FROM idempotency ORDER BY id LIMIT ?) AS oldest"
            + " WHERE received_ms <= ? OR received_ms > ? OR id <= (SELECT max(id) FROM idempotency) - ?)"
            + " RETURNING " + COLUMNS;
    private static final long MOST_KEPT = 10_000_000;
    private static final int PURGED_PER_RECORDED = 4;

    /// The result of a request that has been carried out.
    ///
    /// @param petId the animal that it added
    record StoredResult(IdempotencyKey.Name name, String fingerprint, long petId, Instant received) {

        /// Whether it is still kept when `key` comes.
        boolean isKeptFor(IdempotencyKey key) {
            return received.isAfter(oldest(key));
        }

        private StoredResult receivedAt(Instant moment) {
            return new StoredResult(name, fingerprint, petId, moment);
        }
    }

    private SqlIdempotency() {
    }

    /// The results of the requests that were carried out under the names of these, out of date or not.
    static Map<IdempotencyKey.Name, StoredResult> find(Session session, Collection<IdempotencyKey> keys)
            throws SQLException {
        Map<IdempotencyKey.Name, StoredResult> found = new HashMap<>();
        for (List<IdempotencyKey> some : Session.chunks(keys)) {
            PreparedStatement select = session
                    .prepare(FIND + "(?, ?, ?)" + ", (?, ?, ?)".repeat(some.size() - 1) + ")");
            int at = 0;
            for (IdempotencyKey key : some) {
                setName(select, at, key.name());
                at += 3;
            }
            for (StoredResult result : Session.rows(select, SqlIdempotency::read)) {
                found.put(result.name(), result);
            }
        }
        return found;
    }

    /// Records requests that are carried out in the same transaction, by the animals that they add, and purges a few results that
    /// are kept no longer. More are purged than recorded, so they do not pile up.
    static void record(Session session, Map<IdempotencyKey, Long> petIds) throws SQLException {
        insert(session, petIds.entrySet().stream().map(entry -> new StoredResult(entry.getKey().name(),
                entry.getKey().fingerprint(), entry.getValue(), entry.getKey().received())).toList());
        IdempotencyKey latest = Collections.max(petIds.keySet(), Comparator.comparing(IdempotencyKey::received));
        PreparedStatement purge = session.prepare(PURGE);
        purge.setInt(1, PURGED_PER_RECORDED * petIds.size());
        purge.setLong(2, oldest(latest).toEpochMilli());
        purge.setLong(3, latest.received().toEpochMilli());
        purge.setLong(4, MOST_KEPT);
        // A clock was ahead when these were received. Their retention begins now, behind the results whose purge they would stop.
        insert(session, Session.rows(purge, SqlIdempotency::read).stream()
                .filter(result -> result.received().isAfter(latest.received()))
                .map(result -> result.receivedAt(latest.received())).toList());
    }

    private static void insert(Session session, List<StoredResult> results) throws SQLException {
        if (results.isEmpty()) {
            return;
        }
        PreparedStatement insert = session.prepare(RECORD);
        for (StoredResult result : results) {
            setName(insert, 0, result.name());
            insert.setString(4, result.fingerprint());
            insert.setLong(5, result.petId());
            insert.setLong(6, result.received().toEpochMilli());
            insert.addBatch();
        }
        insert.executeBatch();
    }

    private static StoredResult read(ResultSet row) throws SQLException {
        return new StoredResult(new IdempotencyKey.Name(row.getString(1), row.getString(2), row.getString(3)),
                row.getString(4), row.getLong(5), Instant.ofEpochMilli(row.getLong(6)));
    }

    /// Makes room for a request under the name of one that is out of date.
    static void forget(Session session, IdempotencyKey key) throws SQLException {
        PreparedStatement forget = session.prepare(FORGET);
        setName(forget, 0, key.name());
        forget.executeUpdate();
    }

    private static void setName(PreparedStatement statement, int after, IdempotencyKey.Name name)
            throws SQLException {
        statement.setString(after + 1, name.owner());
        statement.setString(after + 2, name.operation());
        statement.setString(after + 3, name.key());
    }

    /// The moment before which requests are kept no longer.
    private static Instant oldest(IdempotencyKey key) {
        return key.received().minus(key.retention());
    }
}
