package petstore.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import petstore.app.OpenTelemetrySetup;
import petstore.app.Service;
import petstore.app.Settings;
import petstore.app.SystemLimits;
import petstore.cli.options.OptionConverters;
import petstore.cli.options.ServeOptions;
import petstore.cli.terminal.Console;
import petstore.log.BufferedLog;
import petstore.log.Logging;
import petstore.store.postgres.DatabaseWait;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `petstore serve`: runs the service until a signal stops it.
@Command(name = "serve", description = "Runs the service until SIGTERM or Ctrl-C.", footer = {"",
        "Example:", "  petstore serve --port 8080 --data ./data"})
final class ServeCommand implements Callable<Integer> {

    private static final Duration MAX_START = Duration.ofSeconds(5);
    private static final Duration TIME_FOR_LAST_RESPONSES = Duration.ofMillis(500);

    private final Console console;

    @Mixin
    private final ServeOptions options = new ServeOptions();

    /// Closes the service; complete when it serves.
    private final CompletableFuture<Runnable> serving = new CompletableFuture<>();
    /// The exit code after a signal, 0 without a signal.
    private final AtomicInteger signal = new AtomicInteger();
    private volatile @Nullable DatabaseWait databaseWait;

    ServeCommand(Console console) {
        this.console = console;
    }

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

    /// Starts the service. Returns its end.
    private Runnable serve(BufferedLog log) {
        Settings settings = options.settings(console.environment());
        DatabaseWait wait = new DatabaseWait(settings.databaseWait());
        databaseWait = wait;
        OpenTelemetrySetup tracing = OpenTelemetrySetup.start(console.environment());
        Service service = Service.start(settings, wait, tracing.tracer(), log,
                ServeCommand::stopForLostDisk, console.clock());
        service.firstKey().ifPresent(key -> KeysCommand.show("First API key, shown only once: ", key, console));
        String origin = (settings.server().tls().isPresent() ? "https" : "http") + "://"
                + OptionConverters.address(settings.server().host(), service.port());
        console.out().println("Petstore is ready: " + origin + "/v1");
        console.out().println(
                "Admin: http://" + OptionConverters.address(settings.server().adminHost(), service.adminPort()));
        if (settings.api().page() && console.isTerminal()) {
            String page = settings.api().baseUrl().isPresent() ? settings.api().root() : origin + "/";
            // To the terminal alone: a log must not keep the key.
            service.firstKey().ifPresent(key -> console.err().println("Page, signed in with this key: " + page + "#key="
                    + URLEncoder.encode(key.text(), StandardCharsets.UTF_8)));
        }
        return () -> {
            service.close();
            tracing.close();
        };
    }

    /// Ends the process, once clients have the responses for animals that were lost.
    private static void stopForLostDisk() {
        Thread.ofPlatform().name("lost-disk").start(() -> {
            try {
                Thread.sleep(TIME_FOR_LAST_RESPONSES);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Runtime.getRuntime().halt(Main.FAILED);
        });
    }

    /// Stops the service after a signal. A start finishes first, unless it takes long or waits for the database. A failed start has
    /// its own exit code.
    private void stop(BufferedLog log) {
        if (serving.isCancelled()) {
            return;
        }
        DatabaseWait wait = databaseWait;
        if (wait != null && wait.isActive()) {
            log.close();
            Runtime.getRuntime().halt(signal.get());
        }
        try {
            serving.get(MAX_START.toMillis(), TimeUnit.MILLISECONDS).run();
        } catch (TimeoutException | ExecutionException | CancellationException | InterruptedException e) {
            // The service does not run.
        }
        log.close();
        Runtime.getRuntime().halt(Main.DONE);
    }
}
