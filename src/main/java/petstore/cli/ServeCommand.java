package petstore.cli;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.Closer;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.app.OpenTelemetrySetup;
import petstore.app.Service;
import petstore.app.Settings;
import petstore.app.SystemLimits;
import petstore.cli.options.ServeOptions;
import petstore.cli.terminal.ConsoleCommand;
import petstore.log.BufferedLog;
import petstore.log.Logging;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "serve", description = "Runs the service until SIGTERM or Ctrl-C.", footer = {"",
        "Example:", "  petstore serve --port 8080 --data ./data"})
final class ServeCommand extends ConsoleCommand implements Callable<Integer> {

    private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);
    private static final Duration MAX_START = Duration.ofSeconds(5);
    private static final Duration TIME_FOR_LAST_RESPONSES = Duration.ofMillis(500);

    @Mixin
    private final ServeOptions options = new ServeOptions();

    /// Closes the service; complete when it serves.
    private final CompletableFuture<Closer> serving = new CompletableFuture<>();
    /// The exit code after a signal, 0 without a signal.
    private final AtomicInteger signal = new AtomicInteger();
    /// The exit code of a stop.
    private final AtomicInteger stopped = new AtomicInteger(Main.DONE);
    /// True while the start waits for its database.
    private final AtomicBoolean waiting = new AtomicBoolean();

    @Override
    public Integer call() throws InterruptedException {
        SystemLimits.requireRoomForService();
        try (BufferedLog log = Logging.start(options.logFormat(), options.accessLog())) {
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> stop(log)));
            Signals.haltAtSecondSignal(exitCode -> {
                signal.set(exitCode);
                Runtime.getRuntime().exit(exitCode);
            });
            serving.complete(serve(log));
            Thread.currentThread().join();
            return Main.DONE;
        } finally {
            serving.cancel(false);
        }
    }

    /// Starts the service. Closing the result stops it.
    private Closer serve(BufferedLog log) {
        Settings settings = options.settings(console().environment());
        try (Closer parts = new Closer()) {
            OpenTelemetrySetup tracing = parts.add(OpenTelemetrySetup.start(console().environment()));
            Service service = parts.add(Service.start(settings, waiting, tracing.tracer(), log, this::stopForLostDisk,
                    console().clock()));
            new Greeting(settings, service, console()).show();
            return parts.handOver();
        } catch (Failure e) {
            // Its message is for clients.
            throw new CommandFailure(e.explanation(), e);
        }
    }

    /// Ends the process after a pause, in which clients receive the error responses for lost animals, and the log is written.
    private void stopForLostDisk() {
        stopped.set(Main.FAILED);
        try {
            Thread.ofPlatform().name("lost-disk").start(ServeCommand::haltSoon);
        } catch (OutOfMemoryError e) {
            // The system allows no more threads. So this one, which writes to the store, must end the process.
            haltSoon();
        }
    }

    private static void haltSoon() {
        try {
            Thread.sleep(TIME_FOR_LAST_RESPONSES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(Main.FAILED);
    }

    /// Stops the service after a signal. A start finishes first, unless it takes long or waits for the database. A failed start has
    /// its own exit code.
    private void stop(BufferedLog log) {
        if (serving.isCancelled()) {
            return;
        }
        try (log) {
            if (waiting.get()) {
                stopped.set(signal.get());
            } else {
                stopService();
            }
        } finally {
            Runtime.getRuntime().halt(stopped.get());
        }
    }

    private void stopService() {
        try {
            serving.get(MAX_START.toMillis(), TimeUnit.MILLISECONDS).close();
        } catch (TimeoutException | ExecutionException | CancellationException | InterruptedException e) {
            // The service did not start.
        } catch (RuntimeException | Error e) {
            stopped.set(Main.FAILED);
            LOG.error("the service did not stop in order", e);
        }
    }
}
