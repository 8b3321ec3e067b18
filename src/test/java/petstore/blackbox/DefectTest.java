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

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import petstore.testkit.ServedContract;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// Requests that fail because of a defect in the program: the response and the log.
class DefectTest {

    private static final String PET = "{\"name\":\"Rex\",\"categoryId\":1}";

    @TempDir
    private Path folder;
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("petstore.http.Dispatcher");

    @BeforeEach
    void captureLog() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void detachLog() {
        logger.detachAppender(log);
    }

    @Test
    void logsCauseWithRequestIdOfResponse() throws SQLException {
        try (TestService service = TestService.start(folder);
                Connection store = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("petstore.db"));
                Statement statement = store.createStatement()) {
            statement.execute("CREATE TRIGGER refuse BEFORE INSERT ON pet BEGIN SELECT RAISE(ABORT, 'secret'); END");
            assertInternalError(service.client().post(PET, "X-Request-Id", "of-the-test"));
            assertThat(log.list).singleElement().satisfies(event -> assertThat(event.getThrowableProxy().getCause()
                    .getMessage()).contains("secret"));
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
                log.list.clear();
                assertInternalError(service.client().get("/v1/pets/1", "X-Request-Id", "of-the-test"));
            }
            clock.fault.set(() -> {
            });
            assertThat(service.client().get("/v1/pets").body()).isEqualTo("[]");
        }
    }

    private void assertInternalError(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(ServedContract.json(response.body()).get("message").asText())
                .isEqualTo("internal error; see request of-the-test in the log");
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("request of-the-test failed");
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
