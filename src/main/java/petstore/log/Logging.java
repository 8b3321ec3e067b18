package petstore.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.NopStatusListener;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/// The log of the process: one event a line, on stderr. Logback finds this class as a service, and has it begin with text.
public final class Logging extends ContextAwareBase implements Configurator {

    /// How an event is written.
    public enum Format {
        /// For people.
        TEXT,
        /// For programs: one JSON object.
        JSON
    }

    @Override
    public ExecutionStatus configure(LoggerContext log) {
        log.getStatusManager().add(new NopStatusListener());
        ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
        stderr.setTarget(ConsoleTarget.SystemErr.getName());
        stderr.setEncoder(encoder(log, Format.TEXT));
        write(log, stderr);
        log.getLogger("com.zaxxer.hikari").setLevel(Level.ERROR);
        // What clients do to their connections would be told here, as often as they like.
        log.getLogger("io.netty").setLevel(Level.WARN);
        log.getLogger("io.netty.util.concurrent.DefaultPromise").setLevel(Level.OFF);
        log.getLogger("io.vertx.core.net.impl.ConnectionBase").setLevel(Level.OFF);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /// Writes in this format from now on, and a moment later.
    ///
    /// @param access whether there is a line for every request
    /// @return where requests are told, to be closed at the end
    public static BufferedLog use(Format format, boolean access) {
        LoggerContext log = (LoggerContext) LoggerFactory.getILoggerFactory();
        BufferedLog stderr = new BufferedLog(encoder(log, format), access, ConsoleTarget.SystemErr.getStream());
        write(log, stderr);
        // What libraries tell the JDK's own log.
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        return stderr;
    }

    private static void write(LoggerContext log, Appender<ILoggingEvent> stderr) {
        stderr.setContext(log);
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
