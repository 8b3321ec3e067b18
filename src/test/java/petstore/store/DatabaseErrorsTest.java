package petstore.store;

import java.sql.SQLException;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import petstore.Failure;

import static org.assertj.core.api.Assertions.assertThat;

class DatabaseErrorsTest {

    @Test
    void logsRepeatedErrorOnceASecond() {
        DatabaseErrors errors = new DatabaseErrors(e -> e.getErrorCode() == 1);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(DatabaseErrors.class);
        logger.addAppender(log);
        long began = System.nanoTime();
        try {
            for (int i = 0; i < 1_000; i++) {
                assertThat(errors.failure(new SQLException("the disk is gone")).kind())
                        .isEqualTo(Failure.Kind.UNAVAILABLE);
            }
            assertThat(errors.failure(new SQLException("no such column", "", 1)).kind())
                    .isEqualTo(Failure.Kind.INTERNAL_ERROR);
        } finally {
            logger.detachAppender(log);
        }
        long seconds = (System.nanoTime() - began) / 1_000_000_000;
        assertThat(log.list).hasSizeBetween(1, 1 + (int) seconds)
                .allMatch(line -> line.getFormattedMessage().equals("the store failed: the disk is gone"));
    }
}
