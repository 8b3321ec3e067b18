package petstore.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.MeterRegistry;
import petstore.ApiKey;
import petstore.ApiKey.RetiredSecret;
import petstore.ApiKey.SecretHash;
import petstore.CommandFailure;
import petstore.KeyRing;
import petstore.RateLimit;
import petstore.SafeText;
import petstore.Scope;
import petstore.store.queue.SharedReading;

/// The key ring in the table `api_key`, and its keys in memory. Times are in milliseconds since 1970-01-01T00:00:00Z.
final class SqlKeyRing implements KeyRing, AutoCloseable {

    private static final String COLUMNS = "id, name, scopes, secret_sha256, created_ms, expires_ms, revoked_ms,"
            + " retired_sha256, retired_until_ms, last_used_ms, rate_limit";
    private static final String ALL = "SELECT " + COLUMNS + " FROM api_key";
    private static final String FIND = ALL + " WHERE id = ?";
    private static final String LIST = ALL + " ORDER BY created_ms, id";
    private static final String INSERT = "INSERT INTO api_key"
            + " (id, name, scopes, secret_sha256, created_ms, expires_ms, rate_limit) VALUES (?, ?, ?, ?, ?, ?, ?)";
    private static final String REVOKE = "UPDATE api_key SET revoked_ms = ? WHERE id = ? AND revoked_ms IS NULL";
    private static final String ROTATE = "UPDATE api_key SET retired_until_ms = ?,"
            + " retired_sha256 = CASE WHEN CAST(? AS BIGINT) IS NOT NULL THEN secret_sha256 END,"
            + " secret_sha256 = ? WHERE id = ?";
    private static final String USE = "UPDATE api_key SET last_used_ms = ? WHERE id = ?"
            + " AND (last_used_ms IS NULL OR last_used_ms < ?)";
    private static final String PRUNE = "DELETE FROM api_key WHERE revoked_ms <= ? OR expires_ms <= ? RETURNING "
            + COLUMNS;

    /// @param changes the number of changes of keys in the store, read before the keys
    private record Snapshot(long changes, Known known) {
        private static final Snapshot NONE = new Snapshot(-1, new Known(Map.of(), Instant.EPOCH, 0));
    }

    private final Database database;
    private final OneAtATime background;
    private final String selectChanges;
    private final SharedReading<Boolean> refreshes;
    private final AtomicReference<Snapshot> snapshot = new AtomicReference<>(Snapshot.NONE);

    SqlKeyRing(Database database, OneAtATime background, MeterRegistry meters) {
        this.database = database;
        this.background = background;
        this.refreshes = new SharedReading<>("keys", database.traits().patience(), this::refreshNow, meters);
        this.selectChanges = "SELECT changes, (" + database.dialect().selectNow() + ") FROM api_key_change";
        // Another server may have other keys, but the same number of changes.
        database.watch().onNewLineage(
                () -> snapshot.updateAndGet(before -> new Snapshot(-1, before.known().outdated())));
    }

    @Override
    public Known known() {
        return snapshot.get().known();
    }

    @Override
    public void load() {
        database.watch().atStart(this::refreshNow);
    }

    @Override
    public CompletableFuture<?> refresh() {
        return refreshes.next();
    }

    /// Reads again if another server came into use meanwhile, because these keys may be those of the server before.
    private boolean refreshNow() {
        while (true) {
            Snapshot before = snapshot.get();
            Snapshot after = database.readUnqueued(session -> read(session, before));
            if (snapshot.compareAndSet(before, after)) {
                return true;
            }
        }
    }

    /// Reads the number of changes, and the keys if it differs. The number is read first, so that the next refresh notices a change between
    /// both statements.
    private Snapshot read(Session session, Snapshot before) throws SQLException {
        long beganNs = System.nanoTime();
        return session.onlyRow("api_key_change", selectChanges, row -> {
            long changes = row.getLong(1);
            Map<String, ApiKey> keys = changes == before.changes()
                    ? before.known().keys()
                    : session.rows(ALL, SqlKeyRing::key).stream()
                            .collect(Collectors.toMap(ApiKey::id, Function.identity()));
            return new Snapshot(changes, new Known(keys, Instant.ofEpochMilli(row.getLong(2)), beganNs));
        });
    }

    @Override
    public Instant now() {
        return Instant.ofEpochMilli(database.readUnqueued(session -> session.number(database.dialect().selectNow())));
    }

    @Override
    public void add(ApiKey key) {
        database.write(session -> {
            database.dialect().lockKeys(session);
            return insert(session, key);
        });
    }

    @Override
    public boolean addFirst(ApiKey key) {
        return database.watch().atStart(() -> {
            // A start on a store that has keys needs no lock, and no space on a full disk.
            if (known().keys().isEmpty()) {
                database.write(session -> {
                    database.dialect().lockKeys(session);
                    return list(session).isEmpty() ? insert(session, key) : 0;
                });
            }
            // The COMMIT of an earlier attempt may have added it, although its outcome was unknown.
            return find(key.id()).isPresent();
        });
    }

    @Override
    public Optional<ApiKey> find(String id) {
        return database.readUnqueued(session -> find(session, id));
    }

    @Override
    public List<ApiKey> list() {
        return background.run(() -> database.readUnqueued(SqlKeyRing::list));
    }

    private static List<ApiKey> list(Session session) throws SQLException {
        return session.rows(LIST, SqlKeyRing::key);
    }

    @Override
    public Optional<ApiKey> revoke(String id, Instant now) {
        return database.write(session -> {
            session.prepare(REVOKE, now.toEpochMilli(), id).executeUpdate();
            return find(session, id);
        });
    }

    @Override
    public Optional<ApiKey> rotate(String id, SecretHash secret, Optional<Instant> retiredUntil) {
        Long untilMs = retiredUntil.map(Instant::toEpochMilli).orElse(null);
        return database.write(session -> {
            session.prepare(ROTATE, untilMs, untilMs, secret.hex(), id).executeUpdate();
            return find(session, id);
        });
    }

    @Override
    public List<ApiKey> prune(Instant end) {
        long endMs = end.toEpochMilli();
        return database.write(session -> session.rows(PRUNE, SqlKeyRing::key, endMs, endMs));
    }

    @Override
    public void recordUses(Map<String, Instant> lastUses) {
        background.run(() -> database.write(session -> {
            // Every process updates in the same order, so that there is no deadlock.
            for (Map.Entry<String, Instant> use : new TreeMap<>(lastUses).entrySet()) {
                long usedMs = use.getValue().toEpochMilli();
                session.prepare(USE, usedMs, use.getKey(), usedMs).executeUpdate();
            }
            return lastUses.size();
        }));
    }

    /// Inserts a key, unless its name is taken or there are too many. The caller has locked the keys.
    private static int insert(Session session, ApiKey key) throws SQLException {
        ApiKey.requireNotConfigured(key.name());
        List<ApiKey> others = list(session);
        if (others.size() >= MOST_KEYS) {
            throw new CommandFailure(String.format(Locale.ROOT,
                    "the store has %,d API keys, and may have %,d; '%s' removes revoked and expired keys",
                    others.size(), MOST_KEYS, SafeText.command("keys prune")));
        }
        for (ApiKey other : others) {
            if (other.name().equals(key.name()) && other.isValidAt(key.created())) {
                throw new CommandFailure("the key " + other.id() + " has the name " + other.shownName()
                        + "; choose another with --name, or rotate or revoke that key");
            }
        }
        return session.prepare(INSERT, key.id(), key.name(), Scope.text(key.scopes()), key.secret().hex(),
                key.created().toEpochMilli(), key.expires().map(Instant::toEpochMilli).orElse(null),
                key.rateLimit().map(RateLimit::text).orElse(null)).executeUpdate();
    }

    private static Optional<ApiKey> find(Session session, String id) throws SQLException {
        return session.rows(FIND, SqlKeyRing::key, id).stream().findFirst();
    }

    private static ApiKey key(ResultSet row) throws SQLException {
        Set<Scope> scopes = EnumSet.noneOf(Scope.class);
        for (String scope : row.getString(3).split(" ", -1)) {
            Scope.find(scope).ifPresent(scopes::add);
        }
        return new ApiKey(row.getString(1), row.getString(2), scopes, SecretHash.ofHex(row.getString(4)),
                Instant.ofEpochMilli(row.getLong(5)), moment(row, 6), moment(row, 7), retired(row),
                Optional.ofNullable(row.getString(11)).map(text -> RateLimit.find(text).orElse(RateLimit.LEAST)),
                moment(row, 10));
    }

    private static Optional<RetiredSecret> retired(ResultSet row) throws SQLException {
        Optional<SecretHash> secret = Optional.ofNullable(row.getString(8)).map(SecretHash::ofHex);
        Optional<Instant> until = moment(row, 9);
        return secret.flatMap(hash -> until.map(end -> new RetiredSecret(hash, end)));
    }

    private static Optional<Instant> moment(ResultSet row, int column) throws SQLException {
        long ms = row.getLong(column);
        return row.wasNull() ? Optional.empty() : Optional.of(Instant.ofEpochMilli(ms));
    }

    @Override
    public void close() {
        refreshes.close();
    }
}
