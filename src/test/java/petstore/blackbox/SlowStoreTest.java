package petstore.blackbox;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.testkit.ApiClient;
import petstore.testkit.CommandLines;
import petstore.testkit.RawClient;
import petstore.testkit.ServedContract;
import petstore.testkit.TestClock;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// Requests that need the store while another connection locks it.
class SlowStoreTest {

    private static final Duration REQUEST_DEADLINE = Duration.ofSeconds(1);
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";

    private static final String POST = "POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TestService.KEY
            + "\r\nContent-Type: application/json\r\nContent-Length: " + PET.length() + "\r\n\r\n" + PET;

    @TempDir
    private Path folder;

    /// While the store is locked, the service cannot save the last use of a key. It must still notice that the key is revoked.
    @Test
    void refusesRevokedKeyWhileStoreIsLocked() throws SQLException {
        String key = CommandLines.run(folder, "keys", "create", "--name", "checkout");
        TestClock clock = new TestClock("2099-01-31T10:00:00Z");
        try (TestService service = TestService.start(folder, clock, UnaryOperator.identity());
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("petstore.db"));
                Statement statement = other.createStatement()) {
            ApiClient client = service.client().withKey(key);
            statement.execute("BEGIN IMMEDIATE");
            statement.execute("UPDATE api_key SET revoked_ms = 1");
            assertThat(client.get("/v1/pets").statusCode()).isEqualTo(200);
            statement.execute("COMMIT");
            statement.execute("BEGIN IMMEDIATE");
            assertThat(client.awaitRefusal(Duration.ofSeconds(2)).statusCode()).isEqualTo(401);
            statement.execute("ROLLBACK");
        }
    }

    @Test
    void returns503AtRequestDeadlineAndKeepsConnection() throws IOException, SQLException {
        Duration otherDeadline = Duration.ofSeconds(30);
        try (TestService service = TestService.start(folder,
                new Deadlines(otherDeadline, otherDeadline, REQUEST_DEADLINE), 10);
                RawClient client = new RawClient(service.port())) {
            try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("petstore.db"));
                    Statement statement = other.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");
                long start = System.nanoTime();
                RawClient.Response response = client.send(POST).response().orElseThrow();
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(REQUEST_DEADLINE);
                assertThat(response.status()).isEqualTo(503);
                assertThat(response.body()).contains("the service could not answer in time");
                assertThat(response.headers().get("retry-after")).isNotEmpty();
                ServedContract.verify("POST", "/v1/pets", response.status(), response.headers(), response.body());
                statement.execute("ROLLBACK");
            }
            assertThat(client.send(POST).response().orElseThrow().status()).isEqualTo(201);
            assertThat(service.metric("petstore_unavailable_total{code=\"late\"}")).isOne();
        }
    }
}
