package petstore.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import petstore.IdempotencyKey;

/// Results of requests with an Idempotency-Key, in the table `idempotency`. Times are in milliseconds since 1970-01-01T00:00:00Z.
final class SqlIdempotency {

    private static final String COLUMNS = "owner, operation, idempotency_key, fingerprint, pet_id, received_ms";
    private static final String FIND = "SELECT " + COLUMNS
            + " FROM idempotency WHERE (owner, operation, idempotency_key) IN (VALUES ";
    private static final String FORGET = "DELETE FROM idempotency"
            + " WHERE owner = ? AND operation = ? AND idempotency_key = ?";
    private static final String INSERT = "INSERT INTO idempotency (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?)";
    /// Deletes some of the oldest rows, if their retention is over, their time is in the future, or there are too many rows.
    private static final String PURGE = "DELETE FROM idempotency WHERE id IN (SELECT id FROM"
            + " (SELECT id, received_ms FROM idempotency ORDER BY id LIMIT ?) AS oldest"
            + " WHERE received_ms <= ? OR received_ms > ? OR id <= (SELECT max(id) FROM idempotency) - ?)"
            + " RETURNING " + COLUMNS;
    private static final long MOST_KEPT = 10_000_000;
    private static final int PURGED_PER_RECORDED = 4;

    record StoredResult(IdempotencyKey.Name name, String fingerprint, long petId, Instant received) {

        boolean isKept(IdempotencyKey key, Instant now) {
            return received.isAfter(now.minus(key.retention()));
        }
    }

    private SqlIdempotency() {
    }

    /// Returns the stored results for the names of `keys`, also those past retention.
    static Map<IdempotencyKey.Name, StoredResult> find(Session session, List<IdempotencyKey> keys)
            throws SQLException {
        Map<IdempotencyKey.Name, StoredResult> found = new HashMap<>();
        for (List<IdempotencyKey> some : Session.chunks(keys)) {
            session.rows(FIND + "(?, ?, ?)" + ", (?, ?, ?)".repeat(some.size() - 1) + ")", SqlIdempotency::read,
                    some.stream().map(IdempotencyKey::name)
                            .flatMap(name -> Stream.of(name.owner(), name.operation(), name.key())).toArray())
                    .forEach(result -> found.put(result.name(), result));
        }
        return found;
    }

    /// Records the animals that requests add in this transaction, and purges a few old results. More are purged than recorded, so
    /// old results do not accumulate. Returns the number of results that were purged before their retention ended.
    ///
    /// @param now the database's time
    static int record(Session session, Map<IdempotencyKey, Long> petIds, Instant now) throws SQLException {
        Instant oldest = petIds.keySet().stream().map(key -> now.minus(key.retention()))
                .min(Comparator.naturalOrder()).orElse(now);
        List<StoredResult> purged = session.rows(PURGE, SqlIdempotency::read, PURGED_PER_RECORDED * petIds.size(),
                oldest.toEpochMilli(), now.toEpochMilli(), MOST_KEPT - petIds.size());
        // A result from the future is kept for at most two retentions.
        Instant latest = now.plus(Duration.between(oldest, now));
        // The clock was ahead when these were received, or is behind now. Their new ids let the purge reach others.
        List<StoredResult> future = purged.stream().filter(result -> result.received().isAfter(now)).toList();
        insert(session, Stream.concat(
                petIds.entrySet().stream().map(entry -> new StoredResult(entry.getKey().name(),
                        entry.getKey().fingerprint(), entry.getValue(), now)),
                future.stream().map(result -> new StoredResult(result.name(), result.fingerprint(), result.petId(),
                        Collections.min(List.of(result.received(), latest)))))
                .toList());
        return purged.stream().filter(result -> result.received().isAfter(oldest)).toList().size() - future.size();
    }

    static void insert(Session session, List<StoredResult> results) throws SQLException {
        PreparedStatement insert = session.prepare(INSERT);
        for (StoredResult result : results) {
            insert.setString(1, result.name().owner());
            insert.setString(2, result.name().operation());
            insert.setString(3, result.name().key());
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

    static void forget(Session session, IdempotencyKey key) throws SQLException {
        IdempotencyKey.Name name = key.name();
        session.prepare(FORGET, name.owner(), name.operation(), name.key()).executeUpdate();
    }
}
