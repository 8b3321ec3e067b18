package petstore.store.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import petstore.store.SqlStore;
import petstore.store.postgres.watch.ServerState;
import petstore.testkit.PlainPostgres;
import petstore.testkit.TcpProxy;
import petstore.testkit.TestCertificate;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// All sessions become silent, and new ones work: a firewall has forgotten them, e.g. because it was replaced.
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class SilentSessionsTest {

    @TempDir
    private static Path folder;
    private static PlainPostgres server;

    @BeforeAll
    static void startServer() throws IOException {
        Path data = folder.resolve("data");
        server = new PlainPostgres(data);
        TestCertificate certificate = TestCertificate.ec();
        Files.writeString(data.resolve("server.crt"), certificate.certificate());
        Files.setPosixFilePermissions(Files.writeString(data.resolve("server.key"), certificate.key()),
                PosixFilePermissions.fromString("rw-------"));
        server.alterSystem("SET ssl = on");
        TestStore.serve(server.url()).close();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static String url(TcpProxy proxy) {
        return "postgresql://postgres@127.0.0.1:" + proxy.port() + "/postgres?sslmode=require";
    }

    /// The session of the proofs is not asked when that of the observer did not respond.
    @Test
    void bothSessionsOfWatchAreReplacedAfterOneWait() throws IOException, SQLException {
        try (TcpProxy proxy = new TcpProxy(server.port(), Duration.ZERO);
                PostgresHost host = PostgresSearch
                        .hosts(PostgresUri.parse(url(proxy))).getFirst()) {
            ServerState state = host.observe();
            host.prover().prove(state, true);
            proxy.silence();
            long beganNs = System.nanoTime();
            assertThatThrownBy(host::observe).isInstanceOf(SQLException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).as("one wait, although TLS is closed")
                    .isLessThan(PostgresConnector.Timeouts.WATCH.response().multipliedBy(2));
            host.prover().prove(host.observe(), true);
        }
    }

    @Test
    void stopDoesNotWaitForEachSession() throws IOException {
        try (TcpProxy proxy = new TcpProxy(server.port(), Duration.ZERO)) {
            SqlStore store = TestStore.serve(url(proxy));
            PostgresFailoverTest.add(store, "Rex");
            proxy.silence();
            long beganNs = System.nanoTime();
            store.close();
            assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).isLessThan(Duration.ofSeconds(3));
        }
    }
}
