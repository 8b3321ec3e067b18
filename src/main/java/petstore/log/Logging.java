package petstore.log;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.nio.charset.StandardCharsets;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.NopStatusListener;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/// The log of the process: one event a line, on stderr. Logback finds this class as a service. The first format is text.
public final class Logging extends ContextAwareBase implements Configurator {

    /// The format of the lines: text for people, or a JSON object each for programs.
    public enum Format {
        TEXT, JSON
    }

    @Override
    public ExecutionStatus configure(LoggerContext log) {
        log.getStatusManager().add(new NopStatusListener());
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setLayout(new LogLayout(Format.TEXT));
        encoder.setCharset(StandardCharsets.UTF_8);
        ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
        stderr.setTarget(ConsoleTarget.SystemErr.getName());
        stderr.setEncoder(encoder);
        replaceAppender(log, stderr);
        log.getLogger("com.zaxxer.hikari").setLevel(Level.ERROR);
        // These loggers would log each fault of a client.
        log.getLogger("io.netty").setLevel(Level.WARN);
        log.getLogger("io.netty.util.concurrent.DefaultPromise").setLevel(Level.OFF);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /// Starts the log of a service, also for libraries that use the JDK's own log. Returns it, to be closed at the end.
    ///
    /// @param access true for a line for each finished request
    public static BufferedLog start(Format format, boolean access) {
        // System.err would hide errors.
        BufferedLog stderr = new BufferedLog(new LogLayout(format), access,
                new FileOutputStream(FileDescriptor.err).getChannel());
        replaceAppender((LoggerContext) LoggerFactory.getILoggerFactory(), stderr);
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        return stderr;
    }

    private static void replaceAppender(LoggerContext log, Appender<ILoggingEvent> appender) {
        appender.setContext(log);
        appender.start();
        Logger root = log.getLogger(Logger.ROOT_LOGGER_NAME);
        root.detachAndStopAllAppenders();
        root.setLevel(Level.INFO);
        root.addAppender(appender);
    }
}
