package petstore.blackbox;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.LogLines;
import petstore.testkit.ServedContract;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// Requests that fail because of a defect in the program: the response and the log.
class DefectTest {

    private static final String PET = "{\"name\":\"Rex\",\"categoryId\":1}";

    @TempDir
    private Path folder;
    @AutoClose
    private final LogLines log = new LogLines("petstore.http");

    @Test
    void logsCauseWithRequestIdOfResponse() throws SQLException {
        try (TestService service = TestService.start(folder);
                Connection store = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("petstore.db"));
                Statement statement = store.createStatement()) {
            statement.execute("CREATE TRIGGER refuse BEFORE INSERT ON pet BEGIN SELECT RAISE(ABORT, 'secret'); END");
            assertInternalError(service.client().post(PET, "X-Request-Id", "of-the-test"), "of-the-test");
            assertThat(log.causes()).singleElement().asString().contains("secret");
        }
    }

    @Test
    void returns500AfterExceptionOrError() {
        BrokenClock clock = new BrokenClock();
        try (TestService service = TestService.start(folder, clock, UnaryOperator.identity())) {
            for (Runnable fault : List.<Runnable>of(() -> {
                throw new StackOverflowError();
            }, () -> {
                throw new IllegalStateException("secret");
            })) {
                clock.fault.set(fault);
                String id = "fault-" + fault.hashCode();
                assertInternalError(service.client().get("/v1/pets/1", "X-Request-Id", id), id);
            }
            clock.fault.set(() -> {
            });
            assertThat(service.client().get("/v1/pets").body()).isEqualTo("[]");
        }
    }

    private void assertInternalError(HttpResponse<String> response, String id) {
        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(ServedContract.json(response.body()).get("message").asText())
                .isEqualTo("internal error; see request " + id + " in the log");
        assertThat(log.with(id)).containsExactly("request " + id + " failed");
    }

    /// A clock that runs a fault first, for operations.
    private static final class BrokenClock extends Clock {

        private final AtomicReference<Runnable> fault = new AtomicReference<>(() -> {
        });

        @Override
        public Instant instant() {
            fault.get().run();
            return Instant.EPOCH;
        }

        /// The server reads it too, for the log.
        @Override
        public long millis() {
            return 0;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException("the service does not change the time zone");
        }
    }
}
