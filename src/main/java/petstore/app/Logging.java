package petstore.app;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.NopStatusListener;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/// The log of the process: one event a line, on stderr. Logback finds this class as a service, and has it begin with text.
public final class Logging extends ContextAwareBase implements Configurator {

    /// How an event is written.
    enum Format {
        /// For people.
        TEXT,
        /// For programs: one JSON object.
        JSON
    }

    @Override
    public ExecutionStatus configure(LoggerContext log) {
        log.getStatusManager().add(new NopStatusListener());
        write(log, Format.TEXT);
        log.getLogger("com.zaxxer.hikari").setLevel(Level.ERROR);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /// Writes in this format from now on, and what is about requests a moment later.
    ///
    /// @param access whether there is a line for every request
    /// @return where they are told
    static BufferedLog use(Format format, boolean access) {
        LoggerContext log = (LoggerContext) LoggerFactory.getILoggerFactory();
        write(log, format);
        // What libraries tell the JDK's own log.
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        return BufferedLog.start(encoder(log, format), access, ConsoleTarget.SystemErr.getStream());
    }

    private static void write(LoggerContext log, Format format) {
        ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
        stderr.setContext(log);
        stderr.setName(format.name());
        stderr.setTarget(ConsoleTarget.SystemErr.getName());
        stderr.setEncoder(encoder(log, format));
        stderr.start();
        Logger root = log.getLogger(Logger.ROOT_LOGGER_NAME);
        root.detachAndStopAllAppenders();
        root.setLevel(Level.INFO);
        root.addAppender(stderr);
    }

    private static LogEncoder encoder(LoggerContext log, Format format) {
        LogEncoder encoder = format == Format.TEXT ? new TextLog() : new JsonLog();
        encoder.setContext(log);
        encoder.start();
        return encoder;
    }
}
