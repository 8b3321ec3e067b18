package petstore.app;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.NopStatusListener;
import org.slf4j.LoggerFactory;

/// The log of the process: one event a line, on stderr. Logback finds this class as a service, and has it begin with text.
public final class Logging extends ContextAwareBase implements Configurator {

    /// How an event is written.
    enum Format {
        /// For people.
        TEXT,
        /// For programs: one JSON object.
        JSON
    }

    private static final String TEXT = "%d{yyyy-MM-dd'T'HH:mm:ss.SSS'Z',UTC} %-5level %logger{0} - "
            + "%replace(%replace(%msg %kvp{NONE} %ex){'\\s*\\R\\s*',' | '}){'[ |]+$',''}%nopex%n";
    /// How many access lines may wait; more are dropped, because a slow reader of stderr must not slow the service down.
    private static final int WAITING_LINES = 16_384;

    @Override
    public ExecutionStatus configure(LoggerContext log) {
        log.getStatusManager().add(new NopStatusListener());
        write(log, Format.TEXT);
        log.getLogger("com.zaxxer.hikari").setLevel(Level.ERROR);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /// Writes in this format from now on.
    ///
    /// @param access whether there is a line for every request
    static void use(Format format, boolean access) {
        LoggerContext log = (LoggerContext) LoggerFactory.getILoggerFactory();
        write(log, format);
        Logger requests = log.getLogger("access");
        if (access) {
            AsyncAppender later = new AsyncAppender();
            later.setContext(log);
            later.setQueueSize(WAITING_LINES);
            later.setDiscardingThreshold(0);
            later.setNeverBlock(true);
            later.addAppender(log.getLogger(Logger.ROOT_LOGGER_NAME).getAppender(format.name()));
            later.start();
            requests.addAppender(later);
            requests.setAdditive(false);
        } else {
            requests.setLevel(Level.OFF);
        }
    }

    /// Writes what is waiting to be written. Nothing can be logged afterwards.
    static void stop() {
        ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
    }

    private static void write(LoggerContext log, Format format) {
        ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
        stderr.setContext(log);
        stderr.setName(format.name());
        stderr.setTarget("System.err");
        stderr.setEncoder(encoder(log, format));
        stderr.start();
        Logger root = log.getLogger(Logger.ROOT_LOGGER_NAME);
        root.detachAndStopAllAppenders();
        root.setLevel(Level.INFO);
        root.addAppender(stderr);
    }

    private static Encoder<ILoggingEvent> encoder(LoggerContext log, Format format) {
        return switch (format) {
            case TEXT -> {
                PatternLayoutEncoder text = new PatternLayoutEncoder();
                text.setContext(log);
                text.setPattern(TEXT);
                text.start();
                yield text;
            }
            case JSON -> new JsonLog();
        };
    }
}
