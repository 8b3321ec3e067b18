package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/// Finds ports that stay free until a test listens on them, and while it does not listen for a time.
public final class FreePort {

    private static final int FIRST = 10_000;
    /// Linux gives the ports from 32,768 to outgoing connections, and to programs that ask for any port.
    private static final int LAST = 32_767;

    private FreePort() {
    }

    /// Returns a port that is free on every address of this machine.
    public static int find() {
        while (true) {
            try (ServerSocket free = new ServerSocket(ThreadLocalRandom.current().nextInt(FIRST, LAST + 1))) {
                return free.getLocalPort();
            } catch (BindException _) {
                // It is in use; another one is tried.
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
