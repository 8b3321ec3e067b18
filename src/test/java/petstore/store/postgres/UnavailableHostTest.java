package petstore.store.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import petstore.NewPet;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// A database with two hosts, of which the first cannot be used.
@Execution(ExecutionMode.CONCURRENT)
class UnavailableHostTest {

    private static final int CONNECT_MS = 200;
    /// More connections than attempts that the service makes to find out whether a host can be used again.
    private static final int READERS = 40;

    /// The first host does not respond, as a machine that lost its power.
    @Test
    @Timeout(60)
    void usesSecondHostIfFirstDoesNotRespond() throws IOException {
        String database = PostgresServer.newDatabase();
        List<Socket> backlog = new ArrayList<>();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            while (fillBacklog(silent, backlog)) {
                assertThat(backlog).hasSizeLessThan(1_000);
            }
            PostgresUri uri = PostgresUri
                    .parse(database.replace("@localhost:", "@127.0.0.1:" + silent.getLocalPort() + ",localhost:"));
            try (SqlStore store = new SqlStore(
                    Postgres.forService(uri, SchemaPolicy.AUTO, 2, Duration.ofMinutes(2), new AtomicBoolean()),
                    new SimpleMeterRegistry())) {
                assertThat(AbstractCatalogueTest.added(store.catalogue(), new NewPet("Rex", 1, Optional.empty()))
                        .id())
                        .isEqualTo(1);
            }
        } finally {
            for (Socket socket : backlog) {
                socket.close();
            }
        }
    }

    /// If the pool tried the first host for every connection, each connection would wait for it.
    @Test
    @Timeout(60)
    void poolDoesNotConnectToUnavailableHost() throws IOException {
        String database = PostgresServer.newDatabase();
        AtomicInteger attempts = new AtomicInteger();
        try (ServerSocket down = new ServerSocket(0, READERS, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> closeEveryConnection(down, attempts));
            PostgresUri uri = PostgresUri
                    .parse(database.replace("@localhost:", "@127.0.0.1:" + down.getLocalPort() + ",localhost:")
                            + "?sslmode=disable&gssencmode=disable");
            try (SqlStore _ = new SqlStore(
                    Postgres.forService(uri, SchemaPolicy.AUTO, READERS, Duration.ofMinutes(2), new AtomicBoolean()),
                    new SimpleMeterRegistry())) {
                await("a full pool").atMost(Duration.ofSeconds(50)).until(() -> PostgresServer.query(database,
                        "SELECT pid FROM pg_stat_activity WHERE application_name = 'petstore'"
                                + " AND datname = current_database()")
                        .size() > READERS);
                assertThat(attempts).hasPositiveValue().hasValueLessThan(READERS);
            }
        }
    }

    /// Accepts every connection and closes it, as a proxy in front of a database that is down.
    private static void closeEveryConnection(ServerSocket server, AtomicInteger attempts) {
        try {
            while (true) {
                server.accept().close();
                attempts.incrementAndGet();
            }
        } catch (IOException e) {
            // The test has ended.
        }
    }

    /// Connects to a server that accepts nothing. Returns false once its backlog is full: the system then ignores connections.
    private static boolean fillBacklog(ServerSocket server, List<Socket> backlog) throws IOException {
        Socket socket = new Socket();
        backlog.add(socket);
        try {
            socket.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), CONNECT_MS);
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }
}
