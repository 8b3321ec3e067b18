package petstore.sql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import com.zaxxer.hikari.HikariDataSource;
import petstore.Failure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetStatus;

/// A PostgreSQL database, which other processes may serve too.
///
/// Whoever adds animals takes their ids from the one row of `pet_id`, and with it a lock until COMMIT: transactions that add
/// animals end one after the other, whichever process they come from, and ids become visible in their order.
final class Postgres implements Database {

    private static final Duration READ_PATIENCE = Duration.ofMillis(300);
    private static final int MOST_WAITING = 1_024;
    private static final int FETCH_SIZE = 1_000;
    /// While one waits for its COMMIT the next is already waiting in the database for its turn.
    private static final int WRITERS = 2;
    /// Connections that are kept for what is read aside: keys, versions, and whether the database can be used.
    private static final int OTHERS = 2;
    private static final Duration LEAVE_INTERVAL = Duration.ofSeconds(1);

    /// One statement is one round trip, and other transactions that add animals wait the shorter for their ids.
    private static final String ADD = """
            WITH ids AS (UPDATE pet_id SET last_id = last_id + ? RETURNING last_id - ? AS before),
            added AS (INSERT INTO pet (id, name, category_id, status)
              SELECT before + n, name, category_id, status
              FROM ids, unnest(?::TEXT[], ?::BIGINT[], ?::TEXT[]) WITH ORDINALITY AS new (name, category_id, status, n))
            SELECT before + 1 FROM ids""";
    private static final String NEW_IDS = "UPDATE pet_id SET last_id = last_id + ? RETURNING last_id";
    private static final String LAST_ID = "SELECT last_id FROM pet_id";
    private static final String RESERVE = "UPDATE pet_id SET last_id = ?";

    private final HikariDataSource pool;
    private final Semaphore readers;
    private final Admission admission;
    private final PostgresPool.Patience patience;
    private final AtomicLong leftNs = new AtomicLong(System.nanoTime() - LEAVE_INTERVAL.toNanos());
    private final DatabaseErrors errors = new DatabaseErrors(Postgres::isDefect);

    private Postgres(HikariDataSource pool, int readers, PostgresPool.Patience patience) {
        this.pool = pool;
        this.readers = new Semaphore(readers, true);
        this.admission = new Admission(READ_PATIENCE.toNanos() / 2, readers);
        this.patience = patience;
    }

    /// @param readers how many requests may read at once
    static Postgres open(PostgresUri uri, Migrate migrate, PostgresPool.Patience patience, int readers) {
        return new Postgres(PostgresPool.open(uri, migrate, patience, readers + WRITERS + OTHERS), readers, patience);
    }

    @Override
    public <T> CompletableFuture<T> read(Work<T> work) {
        return CompletableFuture.supplyAsync(() -> readInTurn(work), Thread::startVirtualThread);
    }

    private <T> T readInTurn(Work<T> work) {
        int waiting = readers.getQueueLength();
        if (waiting >= MOST_WAITING || !admission.admits(waiting) || !acquireReader()) {
            throw Failure.unavailable("too many reads are waiting; try again later");
        }
        long beganNs = System.nanoTime();
        try {
            return readAside(work);
        } finally {
            readers.release();
            admission.took(System.nanoTime() - beganNs);
        }
    }

    @Override
    public <T> T readAside(Work<T> work) {
        try (Session session = connect()) {
            return work.on(session);
        } catch (SQLException e) {
            throw errors.failure(e);
        }
    }

    private boolean acquireReader() {
        try {
            return readers.tryAcquire(READ_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.unavailable("the service is stopping");
        }
    }

    private Session connect() throws SQLException {
        return new Session(pool.getConnection());
    }

    /// When COMMIT itself fails nobody knows whether it happened, and it is not tried again.
    @Override
    public <T> T write(Work<T> work) {
        try (Session session = connect()) {
            return session.inTransaction(work);
        } catch (SQLException e) {
            throw errors.failure(e);
        }
    }

    /// Broken constraints and malformed data are defects of ours, everything else is the database's.
    private static boolean isDefect(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return state.startsWith("22") || state.startsWith("23");
    }

    /// Only within a transaction the driver fetches a result part by part.
    @Override
    public void forEachGroupOfPets(Consumer<Iterable<Pet>> action) {
        write(session -> {
            session.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            PreparedStatement select = session.prepare(PetTable.ALL);
            select.setFetchSize(FETCH_SIZE);
            try (ResultSet rows = select.executeQuery()) {
                List<Pet> group = new ArrayList<>(FETCH_SIZE);
                while (rows.next()) {
                    group.add(PetRow.read(rows));
                    if (group.size() == FETCH_SIZE) {
                        action.accept(group);
                        group = new ArrayList<>(FETCH_SIZE);
                    }
                }
                action.accept(group);
            }
            return action;
        });
    }

    @Override
    public int writers() {
        return WRITERS;
    }

    @Override
    public Duration patience() {
        return patience.commit();
    }

    @Override
    public int waitingReads() {
        return readers.getQueueLength();
    }

    @Override
    public double bytes() {
        try {
            return readAside(session -> Double.valueOf(session.text("SELECT pg_database_size(current_database())")));
        } catch (Failure e) {
            return Double.NaN;
        }
    }

    @Override
    public double logBytes() {
        return 0;
    }

    @Override
    public boolean isShared() {
        return true;
    }

    /// When nobody knows whether it was committed, it is not tried again.
    @Override
    public List<Pet> add(List<NewPet> pets) {
        try (Session session = connect()) {
            PreparedStatement add = session.prepare(ADD);
            add.setLong(1, pets.size());
            add.setLong(2, pets.size());
            add.setObject(3, pets.stream().map(NewPet::name).toArray(String[]::new));
            add.setObject(4, pets.stream().mapToLong(NewPet::categoryId).toArray());
            add.setObject(5, pets.stream().map(pet -> pet.status().map(PetStatus::text).orElse(null))
                    .toArray(String[]::new));
            return PetTable.withIds(pets, Session.committedRows(add, row -> row.getLong(1)).getFirst());
        } catch (SQLException e) {
            throw errors.failure(e);
        }
    }

    @Override
    public long newPetIds(Session session, int count) throws SQLException {
        PreparedStatement update = session.prepare(NEW_IDS);
        update.setLong(1, count);
        return Session.rows(update, row -> row.getLong(1)).getFirst() - count + 1;
    }

    @Override
    public long reservePetIds(Session session, long id) throws SQLException {
        long last = Session.rows(session.prepare(LAST_ID), row -> row.getLong(1)).getFirst();
        if (id <= last) {
            return last;
        }
        last = Session.rows(session.prepare(LAST_ID + " FOR UPDATE"), row -> row.getLong(1)).getFirst();
        if (id > last) {
            PreparedStatement update = session.prepare(RESERVE);
            update.setLong(1, id);
            update.executeUpdate();
        }
        return last;
    }

    @Override
    public void lockKeys(Session session) throws SQLException {
        session.execute("LOCK TABLE api_key IN SHARE ROW EXCLUSIVE MODE");
    }

    /// A standby does not do: it cannot be written to.
    @Override
    public void check() {
        readAside(session -> {
            if (session.text("SHOW transaction_read_only").equals("on")) {
                leaveStandby();
                throw new SQLException("the database is a standby", PostgresPool.READ_ONLY);
            }
            return Migrations.requireLatest(session);
        });
    }

    /// Has every connection made anew, because the same address may lead to the primary by now. Whoever asks again and again does
    /// not keep both busy with that.
    private void leaveStandby() {
        long last = leftNs.get();
        long now = System.nanoTime();
        if (now - last >= LEAVE_INTERVAL.toNanos() && leftNs.compareAndSet(last, now)) {
            pool.getHikariPoolMXBean().softEvictConnections();
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
