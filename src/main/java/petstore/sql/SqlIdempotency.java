package petstore.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import petstore.IdempotencyKey;

/// Which requests have been carried out, in the table `idempotency`; moments are milliseconds since 1970-01-01T00:00:00Z.
final class SqlIdempotency {

    private static final String FIND = "SELECT owner, operation, idempotency_key, fingerprint, pet_id, received_ms"
            + " FROM idempotency WHERE (owner, operation, idempotency_key) IN (VALUES ";
    private static final String FORGET = "DELETE FROM idempotency"
            + " WHERE owner = ? AND operation = ? AND idempotency_key = ?";
    private static final String RECORD = "INSERT INTO idempotency"
            + " (owner, operation, idempotency_key, fingerprint, pet_id, received_ms) VALUES (?, ?, ?, ?, ?, ?)";
    /// The oldest few, as far as they are out of date or too many are younger.
    private static final String PURGE = "DELETE FROM idempotency WHERE id IN (SELECT id FROM"
            + " (SELECT id, received_ms FROM idempotency ORDER BY id LIMIT ?) AS oldest"
            + " WHERE received_ms <= ? OR id <= (SELECT max(id) FROM idempotency) - ?)";
    private static final long MOST_KEPT = 10_000_000;
    private static final int PURGED_PER_RECORDED = 4;

    /// A request that has been carried out.
    ///
    /// @param petId the animal that it added
    record Entry(String fingerprint, long petId, Instant received) {

        /// Whether it is still kept when `key` comes.
        boolean isKeptFor(IdempotencyKey key) {
            return received.isAfter(oldest(key));
        }
    }

    private SqlIdempotency() {
    }

    /// The requests that were carried out under the names of these, out of date or not.
    static Map<IdempotencyKey.Name, Entry> find(Session session, Collection<IdempotencyKey> keys) throws SQLException {
        Map<IdempotencyKey.Name, Entry> found = new HashMap<>();
        for (List<IdempotencyKey> some : Session.chunks(keys)) {
            PreparedStatement select = session
                    .prepare(FIND + "(?, ?, ?)" + ", (?, ?, ?)".repeat(some.size() - 1) + ")");
            int at = 0;
            for (IdempotencyKey key : some) {
                setName(select, at, key);
                at += 3;
            }
            Session.rows(select,
                    row -> found.put(new IdempotencyKey.Name(row.getString(1), row.getString(2), row.getString(3)),
                            new Entry(row.getString(4), row.getLong(5), Instant.ofEpochMilli(row.getLong(6)))));
        }
        return found;
    }

    /// Records requests that are carried out in the same transaction, by the animals that they add, and forgets a few that are
    /// kept no longer: as more are forgotten than recorded, they do not pile up.
    static void record(Session session, Map<IdempotencyKey, Long> petIds) throws SQLException {
        PreparedStatement insert = session.prepare(RECORD);
        for (Map.Entry<IdempotencyKey, Long> entry : petIds.entrySet()) {
            IdempotencyKey key = entry.getKey();
            setName(insert, 0, key);
            insert.setString(4, key.fingerprint());
            insert.setLong(5, entry.getValue());
            insert.setLong(6, key.received().toEpochMilli());
            insert.addBatch();
        }
        insert.executeBatch();
        PreparedStatement purge = session.prepare(PURGE);
        purge.setInt(1, PURGED_PER_RECORDED * petIds.size());
        purge.setLong(2, oldest(new ArrayList<>(petIds.keySet()).getLast()).toEpochMilli());
        purge.setLong(3, MOST_KEPT);
        purge.executeUpdate();
    }

    /// Makes room for a request under the name of one that is out of date.
    static void forget(Session session, IdempotencyKey key) throws SQLException {
        PreparedStatement forget = session.prepare(FORGET);
        setName(forget, 0, key);
        forget.executeUpdate();
    }

    private static void setName(PreparedStatement statement, int after, IdempotencyKey key) throws SQLException {
        statement.setString(after + 1, key.name().owner());
        statement.setString(after + 2, key.name().operation());
        statement.setString(after + 3, key.name().key());
    }

    /// The moment before which requests are kept no longer.
    private static Instant oldest(IdempotencyKey key) {
        return key.received().minus(key.retention());
    }
}
