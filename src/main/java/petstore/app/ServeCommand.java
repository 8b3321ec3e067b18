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

    @Override
    public Integer call() throws InterruptedException {
        BufferedLog requestLog = Logging.use(options.logFormat(), options.accessLog());
        Settings settings = options.settings(console.environment());
        Tracing tracing = Tracing.start(console.environment());
        Service service = Service.start(settings, tracing.tracer(), requestLog, console.clock());
        service.firstKey().ifPresent(key -> KeysCommand.show("First API key, shown only once: ", key, console));
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
            service.close();
            tracing.close();
            requestLog.close();
            Runtime.getRuntime().halt(Main.DONE);
        }));
        Signals.stopAtOnceWhenToldTwice(Runtime.getRuntime()::exit);
        console.out().println("Petstore is ready: " + (settings.http().tls().isPresent() ? "https" : "http") + "://"
                + Texts.address(options.host(), service.port()) + "/v1");
        console.out().println("Admin: http://" + Texts.address(options.adminHost(), service.adminPort()));
        Thread.currentThread().join();
        return Main.DONE;
    }
}
