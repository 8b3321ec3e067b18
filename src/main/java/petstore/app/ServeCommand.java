package petstore.app;

import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `petstore serve`: runs the service until the process is told to stop.
@Command(name = "serve", description = "Runs the service until it is told to stop (SIGTERM or Ctrl-C).", footer = {"",
        "Example:", "  petstore serve --port 8080 --data ./data"})
final class ServeCommand implements Callable<Integer> {

    private final Console console;

    @Mixin
    private final ServeOptions options = new ServeOptions();

    ServeCommand(Console console) {
        this.console = console;
    }

    /// Gives back what was opened; nothing yet while it starts.
    private volatile Runnable closing = () -> {
    };
    /// Whether it ends by itself, as only a failure makes it do.
    private volatile boolean failed;

    @Override
    public Integer call() throws InterruptedException {
        try (BufferedLog log = Logging.use(options.logFormat(), options.accessLog())) {
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> stop(log)));
            Signals.stopAtOnceWhenToldTwice(Runtime.getRuntime()::exit);
            start(log);
            Thread.currentThread().join();
            return Main.DONE;
        } finally {
            failed = true;
        }
    }

    private void start(BufferedLog log) {
        Settings settings = options.settings(console.environment());
        Tracing tracing = Tracing.start(console.environment());
        Service service = Service.start(settings, tracing.tracer(), log, console.clock());
        closing = () -> {
            service.close();
            tracing.close();
        };
        service.firstKey().ifPresent(key -> KeysCommand.show("First API key, shown only once: ", key, console));
        console.out().println("Petstore is ready: " + (settings.http().tls().isPresent() ? "https" : "http") + "://"
                + Texts.address(options.host(), service.port()) + "/v1");
        console.out().println("Admin: http://" + Texts.address(options.adminHost(), service.adminPort()));
    }

    /// What a signal leads to, or a failure, which has an exit code of its own. A start that is not done yet is left where it stands.
    private void stop(BufferedLog log) {
        closing.run();
        log.close();
        if (!failed) {
            Runtime.getRuntime().halt(Main.DONE);
        }
    }
}
