package petstore.cli;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/// The handlers of SIGTERM, SIGINT (Ctrl-C) and SIGHUP (the terminal is closed).
///
/// By itself, Java handles only the first signal: it runs the shutdown hooks, and ignores further signals.
final class Signals {

    /// The exit code that shells show for a process ended by the signal: 128 and its number.
    private static final Map<String, Integer> EXIT_CODES = Map.of("HUP", 129, "INT", 130, "TERM", 143);

    private Signals() {
    }

    /// Calls `first` with the exit code at the first signal. The second signal ends the process at once with its code. If Java does not
    /// allow handlers, this does nothing.
    static void haltAtSecondSignal(IntConsumer first) {
        AtomicBoolean received = new AtomicBoolean();
        EXIT_CODES.forEach((name, exitCode) -> org.jline.utils.Signals.register(name, () -> {
            if (received.getAndSet(true)) {
                Runtime.getRuntime().halt(exitCode);
            }
            first.accept(exitCode);
        }));
    }
}
