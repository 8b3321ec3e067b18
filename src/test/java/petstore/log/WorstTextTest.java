package petstore.log;

import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.testkit.WorstText;

/// Linear time for lines of the log.
class WorstTextTest {

    private static final Logger LOGGER = new LoggerContext().getLogger("logger");

    @TestFactory
    Stream<DynamicTest> writesLines() {
        return Stream.of(Logging.Format.values()).flatMap(format -> {
            LogLayout layout = new LogLayout(format);
            return Stream.concat(
                    WorstText.BULK.tests(format + " message", text -> layout.doLayout(event(text, null)), "", "pets_"),
                    WorstText.BULK.tests(format + " trace", text -> {
                        Throwable failure = new IllegalStateException(text);
                        failure.setStackTrace(new StackTraceElement[0]);
                        layout.doLayout(event("", failure));
                    }, "", "\n\t"));
        });
    }

    private static LoggingEvent event(String message, @Nullable Throwable failure) {
        return new LoggingEvent("", LOGGER, Level.INFO, message, failure, null);
    }
}
