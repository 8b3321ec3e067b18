package petstore.cli;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/// What the process is told to do by SIGTERM and SIGINT (Ctrl-C).
///
/// Java looks at the first signal alone: it runs the shutdown hooks, and whatever comes while they run changes nothing.
/// `sun.misc.Signal` hears of them all. It is reached by reflection, because the compiler has a warning for it that cannot be
/// switched off.
final class Signals {

    private static final List<String> NAMES = List.of("TERM", "INT");
    /// What a shell adds to the number of a signal for the exit code of a process that the signal ended.
    private static final int ENDED_BY_SIGNAL = 128;

    private Signals() {
    }

    /// Has the first signal do what `first` says, and the next one end the process where it stands, with exit code 143 (SIGTERM)
    /// or 130 (SIGINT). Where Java does not allow that the first signal does what it always does.
    ///
    /// @param first is told the exit code
    static void stopAtOnceWhenToldTwice(IntConsumer first) {
        AtomicBoolean told = new AtomicBoolean();
        try {
            Class<?> signalClass = Class.forName("sun.misc.Signal");
            Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
            Object handler = Proxy.newProxyInstance(handlerClass.getClassLoader(), new Class<?>[]{handlerClass},
                    (_, _, arguments) -> {
                        int number = (Integer) signalClass.getMethod("getNumber").invoke(arguments[0]);
                        if (told.getAndSet(true)) {
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
            // With -Xrs, or on a Java without the module jdk.unsupported, a second signal is one too many to hear of.
            return;
        }
    }
}
