package petstore.store.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import petstore.Catalogue.Page;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.PetStatus;
import petstore.store.Database;
import petstore.store.PetTable;
import petstore.store.Session;

/// Statements that only PostgreSQL has.
final class PostgresPets implements Database.Dialect {

    /// The time at which it is evaluated. In a transaction that waited for a lock, `now()` would be older.
    static final String NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::BIGINT";
    static final String SELECT_NOW = "SELECT " + NOW;

    private static final String LIST = PetTable.SELECT + "WHERE id > ? ORDER BY id LIMIT ?";
    /// Needs the same status twice, as a range. With an equality, PostgreSQL may scan by id, past all animals of other statuses.
    static final String LIST_BY_STATUS = PetTable.SELECT
            + "WHERE status BETWEEN ? AND ? AND id > ? ORDER BY status, id LIMIT ?";
    private static final int FETCH_SIZE = 1_000;
    private static final String ID_TABLE = "pet_id";
    /// One statement needs one round trip, and so holds the lock on `pet_id` only briefly. It adds nothing if it reaches another server
    /// connection than that of its session.
    private static final String ADD = """
            WITH ids AS (UPDATE pet_id SET last_id = last_id + ? WHERE %s = ?
              RETURNING last_id - ? AS before),
            added AS (INSERT INTO pet (id, name, category_id, status)
              SELECT before + n, name, category_id, status
              FROM ids, unnest(?::TEXT[], ?::BIGINT[], ?::TEXT[]) WITH ORDINALITY AS new (name, category_id, status, n))
            SELECT before + 1 FROM ids""".formatted(PostgresSession.MARK);
    private static final String NEW_IDS = "UPDATE pet_id SET last_id = last_id + ? RETURNING last_id, "
            + NOW;
    private static final String RESERVE = "UPDATE pet_id SET last_id = greatest(pet_id.last_id, ?)"
            + " FROM (SELECT last_id FROM pet_id FOR UPDATE) AS before RETURNING before.last_id";
    private static final String INSERT = "INSERT INTO pet (id, name, category_id, status)"
            + " SELECT * FROM unnest(?::BIGINT[], ?::TEXT[], ?::BIGINT[], ?::TEXT[])";

    @Override
    public String selectNow() {
        return SELECT_NOW;
    }

    @Override
    public void lockKeys(Session session) throws SQLException {
        session.execute("LOCK TABLE api_key IN SHARE ROW EXCLUSIVE MODE");
    }

    /// Reads pages. The statements of all are sent together.
    ///
    /// @param queries at least one; all with a status, or all without, so that few different texts are prepared
    static List<Page> pages(Session session, List<PetQuery> queries) throws SQLException {
        String sql = queries.getFirst().status().isEmpty() ? LIST : LIST_BY_STATUS;
        PreparedStatement select = session.prepare(String.join(";", Collections.nCopies(queries.size(), sql)),
                queries.stream().flatMap(PostgresPets::parameters).toArray());
        boolean _ = select.execute();
        List<Page> pages = new ArrayList<>();
        for (PetQuery query : queries) {
            pages.add(PetTable.page(query, Session.rows(select.getResultSet(), PetTable::read)));
            boolean _ = select.getMoreResults();
        }
        return pages;
    }

    private static Stream<Object> parameters(PetQuery query) {
        return Stream.concat(query.status().stream().map(PetStatus::text).flatMap(text -> Stream.of(text, text)),
                Stream.of(query.after(), query.limit() + 1));
    }

    static List<Pet> add(List<NewPet> pets, PostgresSession session) throws SQLException {
        PreparedStatement add = session.prepare(ADD, (long) pets.size(), session.mark(), (long) pets.size(),
                pets.stream().map(NewPet::name).toArray(String[]::new),
                pets.stream().mapToLong(NewPet::categoryId).toArray(), statuses(pets.stream().map(NewPet::status)));
        List<Long> firstIds = new ArrayList<>();
        PostgresSession.commit(() -> {
            firstIds.addAll(Session.rows(add.executeQuery(), row -> row.getLong(1)));
            return add.getWarnings();
        });
        if (firstIds.isEmpty()) {
            // Fails if the table has lost its row.
            lastId(session);
            throw new PostgresSession.TransactionPoolingException();
        }
        session.used(firstIds.getFirst(), pets.size());
        return PetTable.withIds(pets, firstIds.getFirst());
    }

    @Override
    public Database.NewIds newPetIds(Session session, int count) throws SQLException {
        Database.NewIds ids = session.onlyRow(ID_TABLE, NEW_IDS,
                row -> new Database.NewIds(row.getLong(1) - count + 1, Instant.ofEpochMilli(row.getLong(2))),
                (long) count);
        ((PostgresSession) session).used(ids.first(), count);
        return ids;
    }

    @Override
    public long reservePetIds(Session session, long id) throws SQLException {
        return session.onlyRow(ID_TABLE, RESERVE, row -> row.getLong(1), id);
    }

    /// Passes every animal to `action`, as [Database#forEachGroupOfPets]. The caller opens the transaction, because the driver fetches a
    /// result in parts only within one.
    static void forEachGroup(Session session, Consumer<Iterable<Pet>> action) throws SQLException {
        PreparedStatement select = session.prepare(PetTable.ALL);
        select.setFetchSize(FETCH_SIZE);
        try (ResultSet rows = select.executeQuery()) {
            List<Pet> group = new ArrayList<>(FETCH_SIZE);
            while (rows.next()) {
                group.add(PetTable.read(rows));
                if (group.size() == FETCH_SIZE) {
                    action.accept(group);
                    group = new ArrayList<>(FETCH_SIZE);
                }
            }
            action.accept(group);
        }
    }

    /// Adds animals with their ids, as [Database#addWithIds]. Creates go on until the end, and would wait for this transaction if they took
    /// an id that it has inserted. So the first group, which has the least ids, comes last, under the lock on `pet_id`. A create that has
    /// taken one of its ids ends the import.
    long addWithIds(Iterator<List<Pet>> groups, PostgresSession session) throws SQLException {
        return session.inTransaction(_ -> {
            List<Pet> first = groups.next();
            long firstId = first.getFirst().id();
            long lastId = first.getLast().id();
            while (groups.hasNext()) {
                Database.requireAbove(lastId(session), firstId);
                List<Pet> group = groups.next();
                lastId = group.getLast().id();
                insert(group, session);
            }
            // This command may be suspended, and must not stop the creates of others for long.
            session.execute("SET LOCAL idle_in_transaction_session_timeout = '5s'");
            Database.requireAbove(reservePetIds(session, lastId), firstId);
            insert(first, session);
            return lastId;
        });
    }

    private static long lastId(Session session) throws SQLException {
        return session.onlyRow(ID_TABLE, "SELECT last_id FROM pet_id", row -> row.getLong(1));
    }

    private static void insert(List<Pet> pets, Session session) throws SQLException {
        session.prepare(INSERT, pets.stream().mapToLong(Pet::id).toArray(),
                pets.stream().map(Pet::name).toArray(String[]::new),
                pets.stream().mapToLong(Pet::categoryId).toArray(), statuses(pets.stream().map(Pet::status)))
                .executeUpdate();
    }

    private static @Nullable String[] statuses(Stream<Optional<PetStatus>> all) {
        return all.map(status -> status.map(PetStatus::text).orElse(null)).toArray(String[]::new);
    }
}
