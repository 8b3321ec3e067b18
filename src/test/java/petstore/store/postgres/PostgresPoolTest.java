package petstore.store.postgres;

import java.lang.ref.WeakReference;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import petstore.store.postgres.watch.ServerState;
import petstore.testkit.PostgresServer;
import petstore.testkit.SocketFault;
import petstore.testkit.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class PostgresPoolTest {

    /// The time after which the opening of a connection to a silent server fails.
    private static final Duration SILENCE = Duration.ofSeconds(2);
    private static final String OTHERS = " FROM pg_stat_activity WHERE datname = current_database()"
            + " AND pid <> pg_backend_pid()";

    /// Threads of requests live as long as the service. They must not keep the pools of servers that were left.
    @Test
    void nothingOfClosedPoolStays() throws Exception {
        PostgresUri address = PostgresUri.parse(PostgresServer.newDatabase());
        List<WeakReference<PostgresPool>> pools = new ArrayList<>();
        try (ExecutorService reader = Executors.newSingleThreadExecutor();
                PostgresHost host = new PostgresHost(address)) {
            ServerState server = host.observe();
            for (int i = 0; i < 5; i++) {
                pools.add(reader.submit(() -> usedAndClosed(host, server)).get());
            }
            await().untilAsserted(() -> {
                System.gc();
                assertThat(pools).allMatch(pool -> pool.refersTo(null));
            });
        }
    }

    /// The first requests come together. One after the other, these connections would need 4 s to open.
    @Test
    void firstRequestsWaitForNoOtherConnection() throws Exception {
        URI database = URI.create(PostgresServer.newDatabase());
        int size = 16;
        try (TcpProxy proxy = new TcpProxy(database.getPort(), Duration.ofMillis(20));
                PostgresHost host = host(proxy, database)) {
            PostgresPool pool = new PostgresPool(host, host.observe(), size);
            assertAllHaveConnection(size, () -> pool.connect(0));
            pool.close();
            pool.awaitClosed();
        }
    }

    /// A pooler has one free connection. A lost packet would delay the others as well.
    @Test
    void opensWithOneConnectionIfOthersAreSilent() throws Exception {
        URI database = URI.create(PostgresServer.newDatabase());
        try (TcpProxy proxy = new TcpProxy(database.getPort(), Duration.ZERO);
                PostgresHost host = host(proxy, database)) {
            ServerState server = host.observe();
            proxy.fail(new SocketFault("silence"), 1);
            long beganNs = System.nanoTime();
            PostgresPool pool = new PostgresPool(host, server, 4);
            try (PostgresSession session = pool.connect(0)) {
                assertThat(session.text("SELECT 1")).isEqualTo("1");
                assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).isLessThan(SILENCE);
            }
            pool.close();
            pool.awaitClosed();
        }
    }

    /// A connection that is ready only after the others must not stay beside a full pool.
    @Test
    void lateConnectionsDoNotExceedSize() throws Exception {
        String database = PostgresServer.newDatabase();
        delayLogins(database, 3);
        int size = 4;
        try (Connection other = PostgresServer.connect(database);
                PostgresHost host = new PostgresHost(PostgresUri.parse(database))) {
            PostgresPool pool = new PostgresPool(host, host.observe(), size);
            assertAllHaveConnection(size,
                    () -> await().ignoreExceptions().until(() -> pool.connect(0), session -> true));
            await().untilAsserted(() -> assertThat(connections(other)).isEqualTo(1 + size));
            pool.close();
            pool.awaitClosed();
        }
    }

    /// HikariCP waits for a second for a connection that is being opened, and then forgets it.
    @Test
    void closesConnectionThatIsReadyAfterThePoolWasClosed() throws Exception {
        String database = PostgresServer.newDatabase();
        try (Connection other = PostgresServer.connect(database);
                PostgresHost host = new PostgresHost(PostgresUri.parse(database))) {
            PostgresPool pool = new PostgresPool(host, host.observe(), 1);
            delayLogins(database, 0);
            try (PostgresSession session = pool.connect(0)) {
                PostgresServer.query(other, "SELECT pg_terminate_backend(pid, 10000)" + OTHERS);
                assertThatThrownBy(() -> session.text("SELECT 1")).isInstanceOf(SQLException.class);
            }
            await("the next connection is being opened").until(() -> !PostgresServer.query(other,
                    "SELECT pid" + OTHERS + " AND wait_event = 'PgSleep'").isEmpty());
            pool.close();
            pool.awaitClosed();
            await().untilAsserted(() -> assertThat(connections(other)).isZero());
        }
    }

    /// The numbers of the pool would hide the reason.
    @Test
    void messagesNameTheReasonAndNoNumbersOfThePool() throws Exception {
        URI database = URI.create(PostgresServer.newDatabase());
        try (TcpProxy proxy = new TcpProxy(database.getPort(), Duration.ZERO);
                PostgresHost host = host(proxy, database)) {
            PostgresPool pool = new PostgresPool(host, host.observe(), 1);
            try (PostgresSession session = pool.connect(0)) {
                assertThatThrownBy(() -> pool.connect(0)).hasMessage("no connection was free within 600 ms");
                proxy.moveTo(0);
                assertThatThrownBy(() -> session.text("SELECT 1")).isInstanceOf(SQLException.class);
            }
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> pool.connect(0)).hasMessageNotContaining("total=")
                        .hasMessageNotContaining("no connection was free");
            }
            pool.close();
            pool.awaitClosed();
        }
    }

    /// The server refuses a connection, and does not respond to the next one.
    @Test
    void olderFailureIsNotTheReasonOfAWait() throws Exception {
        URI database = URI.create(PostgresServer.newDatabase());
        try (TcpProxy proxy = new TcpProxy(database.getPort(), Duration.ZERO);
                PostgresHost host = host(proxy, database)) {
            PostgresPool pool = new PostgresPool(host, host.observe(), 1);
            try (PostgresSession session = pool.connect(0)) {
                proxy.moveTo(database.getPort());
                proxy.fail(new SocketFault("53300 full"), 0);
                assertThatThrownBy(() -> session.text("SELECT 1")).isInstanceOf(SQLException.class);
            }
            assertThatThrownBy(() -> pool.connect(0)).hasMessage("FATAL: full");
            proxy.fail(new SocketFault("silence"), 0);
            await().untilAsserted(() -> assertThatThrownBy(() -> pool.connect(0)).hasMessage(
                    "no connection was free within 600 ms; the last attempt failed before: FATAL: full"));
            pool.close();
            pool.awaitClosed();
        }
    }

    /// Asserts that requests that come together all get a connection before the first of them closes its own.
    private static void assertAllHaveConnection(int requests, Callable<PostgresSession> connect) throws Exception {
        CyclicBarrier allHaveOne = new CyclicBarrier(requests);
        try (ExecutorService threads = Executors.newFixedThreadPool(requests)) {
            for (Future<Integer> request : threads.invokeAll(Collections.<Callable<Integer>>nCopies(requests, () -> {
                try (PostgresSession _ = connect.call()) {
                    return allHaveOne.await(10, TimeUnit.SECONDS);
                }
            }))) {
                assertThat(request.get()).isNotNegative();
            }
        }
    }

    /// Returns the host of a database behind a proxy.
    private static PostgresHost host(TcpProxy proxy, URI database) {
        return new PostgresHost(
                PostgresUri.parse("postgresql://postgres@127.0.0.1:" + proxy.port() + database.getPath()));
    }

    /// Makes each login take more than a second while this number of others or more are connected.
    private static void delayLogins(String database, int others) {
        PostgresServer.query(database, """
                CREATE FUNCTION delay() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
                  IF (SELECT count(*)%s) >= %d THEN PERFORM pg_sleep(1.5); END IF;
                END $$""".formatted(OTHERS, others));
        PostgresServer.query(database, "CREATE EVENT TRIGGER delay ON login EXECUTE FUNCTION delay()");
    }

    private static long connections(Connection other) throws SQLException {
        return PostgresServer.query(other, "SELECT pid" + OTHERS).size();
    }

    private static WeakReference<PostgresPool> usedAndClosed(PostgresHost host, ServerState server) throws Exception {
        PostgresPool pool = new PostgresPool(host, server, 2);
        for (int i = 0; i < 2; i++) {
            pool.connect(0).close();
        }
        pool.close();
        pool.awaitClosed();
        return new WeakReference<>(pool);
    }
}
