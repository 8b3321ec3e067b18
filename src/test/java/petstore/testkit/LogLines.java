package petstore.testkit;

import java.util.List;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.slf4j.LoggerFactory;

/// The log lines of a package and its subpackages, from now until this is closed.
public final class LogLines implements AutoCloseable {

    private final Logger log;
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();

    /// @param logger e.g. `petstore.store`
    public LogLines(String logger) {
        log = find(logger);
        events.start();
        log.addAppender(events);
    }

    /// Returns a logger, once no other thread initializes Logback.
    private static Logger find(String name) {
        while (true) {
            if (LoggerFactory.getLogger(name) instanceof Logger logger) {
                return logger;
            }
            Thread.onSpinWait();
        }
    }

    /// Returns the lines that contain a text.
    public List<String> with(String text) {
        return List.copyOf(events.list).stream().map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains(text)).toList();
    }

    /// Returns the messages of the causes of the logged errors.
    public List<String> causes() {
        return List.copyOf(events.list).stream().map(event -> event.getThrowableProxy().getCause().getMessage())
                .toList();
    }

    @Override
    public void close() {
        log.detachAppender(events);
    }
}
