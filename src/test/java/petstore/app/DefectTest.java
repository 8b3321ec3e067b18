package petstore.app;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/// A request that a defect keeps from being carried out.
class DefectTest {

    @TempDir
    private Path folder;

    @Test
    void theLogHasTheCauseUnderTheIdThatTheClientIsTold() throws SQLException {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger("petstore.http.Dispatcher");
        logger.addAppender(log);
        try (TestService service = TestService.start(folder);
                Connection store = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("petstore.db"));
                Statement statement = store.createStatement()) {
            statement.execute("CREATE TRIGGER refuse BEFORE INSERT ON pet BEGIN SELECT RAISE(ABORT, 'secret'); END");
            HttpResponse<String> response = service.client().post("{\"name\":\"Rex\",\"categoryId\":1}",
                    "X-Request-Id", "of-the-test");
            assertThat(response.statusCode()).isEqualTo(500);
            assertThat(ServedContract.json(response.body()).get("message").asText())
                    .isEqualTo("something went wrong here; the log has it as request of-the-test");
            assertThat(log.list).singleElement().satisfies(event -> {
                assertThat(event.getFormattedMessage()).isEqualTo("Request of-the-test failed");
                assertThat(event.getThrowableProxy().getCause().getMessage()).contains("secret");
            });
        } finally {
            logger.detachAppender(log);
        }
    }
}
