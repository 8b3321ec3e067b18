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
import petstore.NewPet;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.testkit.CatalogueKit;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// A database of two hosts, the first of which says nothing at all, as a machine that lost its power.
class SilentHostTest {

    private static final int CONNECT_MS = 200;
    /// So many that chance does not ask the same host first each time.
    private static final int READERS = 40;

    @Test
    @Timeout(60)
    void theSecondHostIsUsed() throws IOException {
        String database = PostgresServer.newDatabase();
        List<Socket> waiting = new ArrayList<>();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            while (fill(silent, waiting)) {
                assertThat(waiting).hasSizeLessThan(1_000);
            }
            PostgresUri both = PostgresUri
                    .parse(database.replace("@localhost:", "@127.0.0.1:" + silent.getLocalPort() + ",localhost:"));
            try (SqlStore store = new SqlStore(
                    Postgres.forService(both, SchemaPolicy.AUTO, 2, Duration.ofMinutes(2), new AtomicBoolean()),
                    new SimpleMeterRegistry())) {
                assertThat(CatalogueKit.awaited(store.catalogue().add(new NewPet("Rex", 1, Optional.empty()))).id())
                        .isEqualTo(1);
            }
        } finally {
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    /// A pool whose every connection asked that host first would wait for it every time.
    @Test
    @Timeout(60)
    void neitherHostIsAskedFirstEveryTime() throws IOException {
        String database = PostgresServer.newDatabase();
        AtomicInteger asked = new AtomicInteger();
        try (ServerSocket down = new ServerSocket(0, READERS, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> hangUp(down, asked));
            PostgresUri both = PostgresUri
                    .parse(database.replace("@localhost:", "@127.0.0.1:" + down.getLocalPort() + ",localhost:")
                            + "?sslmode=disable&gssencmode=disable");
            try (SqlStore _ = new SqlStore(
                    Postgres.forService(both, SchemaPolicy.AUTO, READERS, Duration.ofMinutes(2), new AtomicBoolean()),
                    new SimpleMeterRegistry())) {
                await("a full pool").atMost(Duration.ofSeconds(50)).until(() -> PostgresServer.query(database,
                        "SELECT pid FROM pg_stat_activity WHERE application_name = 'petstore'"
                                + " AND datname = current_database()")
                        .size() > READERS);
                assertThat(asked).hasPositiveValue().hasValueLessThan(READERS);
            }
        }
    }

    /// Takes every connection and ends it, as something that stands before a database that is down.
    private static void hangUp(ServerSocket server, AtomicInteger asked) {
        try {
            while (true) {
                server.accept().close();
                asked.incrementAndGet();
            }
        } catch (IOException e) {
            // The test has ended.
        }
    }

    /// Whether there was still room among the connections that wait to be accepted: behind them the system answers nothing.
    private static boolean fill(ServerSocket server, List<Socket> waiting) throws IOException {
        Socket socket = new Socket();
        waiting.add(socket);
        try {
            socket.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), CONNECT_MS);
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }
}
