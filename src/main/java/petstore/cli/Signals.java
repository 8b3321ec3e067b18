package petstore.cli;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/// The handlers of SIGTERM, SIGINT (Ctrl-C) and SIGHUP (the terminal is closed).
///
/// By itself, Java handles only the first signal: it runs the shutdown hooks, and ignores further signals. `sun.misc.Signal` receives all
/// signals. It is called by reflection, because its compiler warning cannot be suppressed.
final class Signals {

    private static final List<String> NAMES = List.of("TERM", "INT", "HUP");
    /// Shells add this to the number of a signal that ended a process.
    private static final int ENDED_BY_SIGNAL = 128;

    private Signals() {
    }

    /// Calls `first` with the exit code at the first signal: 143 (SIGTERM), 130 (SIGINT) or 129 (SIGHUP). The second signal ends the
    /// process at once with that code. If Java does not allow handlers, this does nothing.
    static void haltAtSecondSignal(IntConsumer first) {
        AtomicBoolean received = new AtomicBoolean();
        try {
            Class<?> signalClass = Class.forName("sun.misc.Signal");
            Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
            Object handler = Proxy.newProxyInstance(handlerClass.getClassLoader(), new Class<?>[]{handlerClass},
                    (_, _, arguments) -> {
                        int number = (Integer) signalClass.getMethod("getNumber").invoke(arguments[0]);
                        if (received.getAndSet(true)) {
                            Runtime.getRuntime().halt(ENDED_BY_SIGNAL + number);
                        }
                        first.accept(ENDED_BY_SIGNAL + number);
                        return null;
                    });
            for (String name : NAMES) {
                signalClass.getMethod("handle", signalClass, handlerClass).invoke(null,
                        signalClass.getConstructor(String.class).newInstance(name), handler);
            }
        } catch (ReflectiveOperationException e) {
            // With -Xrs, or without the module jdk.unsupported, Java does not allow handlers.
            return;
        }
    }
}
