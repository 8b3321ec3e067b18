package petstore.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;

/// A TCP proxy that delays all data from clients to a server, to imitate a slow server.
public final class SlowProxy implements AutoCloseable {

    private final ServerSocket listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    private final int target;
    private final Duration delay;

    /// @param target the port of the server
    /// @param delay the delay of each block of up to 64 KB
    public SlowProxy(int target, Duration delay) throws IOException {
        this.target = target;
        this.delay = delay;
        Thread.ofVirtual().start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                Thread.ofVirtual().start(() -> forward(client, server, delay));
                Thread.ofVirtual().start(() -> forward(server, client, Duration.ZERO));
            } catch (IOException e) {
                close();
            }
        }
    }

    private static void forward(Socket from, Socket to, Duration delay) {
        byte[] bytes = new byte[64 * 1024];
        try (from; to; InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                Thread.sleep(delay);
                out.write(bytes, 0, read);
            }
        } catch (IOException e) {
            // One side has closed its connection, so the other side is closed, too.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
