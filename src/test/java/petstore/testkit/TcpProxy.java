package petstore.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/// A TCP proxy that can delay all data from clients, to imitate a slow server, or lead to another server, as an address that moves.
public final class TcpProxy implements AutoCloseable {

    private volatile ServerSocket listener;
    private Thread acceptor;
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
    private final Duration delay;
    private final AtomicInteger remaining = new AtomicInteger(-1);
    private volatile int target;
    private volatile int next;
    private volatile boolean refuses;
    private volatile Optional<SocketFault> fault = Optional.empty();
    private volatile Optional<SocketFault> nextFault = Optional.empty();
    private volatile List<String> failsAfter = List.of();
    private volatile boolean forwardsLast;
    private volatile Optional<String> silencedAfter = Optional.empty();
    private volatile Optional<String> lostAfter = Optional.empty();
    private volatile @Nullable Socket lost;
    private final Set<Socket> silenced = ConcurrentHashMap.newKeySet();
    /// The connection to the server whose next response is lost.
    private volatile @Nullable Socket muted;

    /// @param target the port of the server
    /// @param delay the delay of each block of up to 64 KB
    public TcpProxy(int target, Duration delay) throws IOException {
        this(InetAddress.getLoopbackAddress(), FreePort.find(), target, delay);
    }

    /// @param own the address to listen on
    /// @param ownPort the port to listen on
    public TcpProxy(InetAddress own, int ownPort, int target, Duration delay) throws IOException {
        this.listener = new ServerSocket(ownPort, 0, own);
        this.target = target;
        this.delay = delay;
        acceptor = Thread.ofVirtual().start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /// Leads to another server from now on. Closes all connections.
    ///
    /// @param other the port of the server; 0 to refuse connections
    public void moveTo(int other) {
        target = other;
        fault = Optional.empty();
        if (listener.isClosed()) {
            listenAgain();
        }
        clients.forEach(TcpProxy::close);
    }

    private void listenAgain() {
        try {
            // Until then the port is in use, although the listener is closed.
            acceptor.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        // A program that another test starts has the closed listener, too, until it has its own code.
        await("the port is free").until(this::listens);
        acceptor = Thread.ofVirtual().start(this::accept);
    }

    private boolean listens() throws IOException {
        try {
            listener = new ServerSocket(port(), 0, InetAddress.getLoopbackAddress());
            return true;
        } catch (BindException _) {
            return false;
        }
    }

    /// Refuses connections after a number of further ones, which stay open, until [#moveTo].
    public void refuseAfter(int connections) {
        refuses = true;
        moveTo(target, connections - 1);
    }

    /// Leads to another server once a number of further connections has been made, which stay open.
    ///
    /// @param other the port of the server
    public void moveTo(int other, int afterConnections) {
        remaining.set(afterConnections);
        next = other;
    }

    /// Makes all connections fail after a number of further connections, which stay open.
    public void fail(SocketFault failure, int afterConnections) {
        nextFault = Optional.of(failure);
        moveTo(target, afterConnections);
    }

    /// Makes all connections fail until [#moveTo], once a client has sent these texts in this order on one connection.
    ///
    /// @param failure `close`, `refuse` or `silence`
    /// @param forwards true if the server gets the last text, and only its response is lost
    public void failAfter(SocketFault failure, boolean forwards, String... texts) {
        nextFault = Optional.of(failure);
        forwardsLast = forwards;
        failsAfter = List.of(texts);
    }

    /// Loses all responses to the next connection whose client sends a text. It stays open, as when a firewall has forgotten it.
    public void silenceAfter(String text) {
        silencedAfter = Optional.of(text);
    }

    /// Closes the next connection whose client sends a text, instead of its next response.
    public void loseResponseTo(String text) {
        lostAfter = Optional.of(text);
    }

    /// Loses all further requests and responses of the connections that are open now.
    public void silence() {
        silenced.addAll(clients);
    }

    /// Returns the number of connections that were silenced.
    public int silenced() {
        return silenced.size();
    }

    private boolean isSilencedBy(byte[] bytes, int count) {
        boolean found = silencedAfter.filter(text -> contains(bytes, count, text)).isPresent();
        if (found) {
            silencedAfter = Optional.empty();
        }
        return found;
    }

    private boolean losesResponseTo(byte[] bytes, int count) {
        boolean found = lostAfter.filter(text -> contains(bytes, count, text)).isPresent();
        if (found) {
            lostAfter = Optional.empty();
        }
        return found;
    }

    private static boolean contains(byte[] bytes, int count, String text) {
        return new String(bytes, 0, count, StandardCharsets.ISO_8859_1).contains(text);
    }

    private void failNow() throws IOException {
        failsAfter = List.of();
        if (nextFault.orElseThrow().text().equals("refuse")) {
            listener.close();
        }
        fault = nextFault;
        for (Socket client : clients) {
            nextFault.orElseThrow().meet(client);
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                if (remaining.getAndDecrement() == 0) {
                    target = next;
                    fault = nextFault;
                    if (refuses) {
                        refuses = false;
                        listener.close();
                    }
                }
                Thread.ofVirtual().start(() -> connect(client));
            } catch (IOException e) {
                close();
            }
        }
    }

    private void connect(Socket client) {
        clients.add(client);
        try {
            if (fault.isPresent()) {
                fault.get().meet(client);
                return;
            }
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            Thread.ofVirtual().start(() -> forward(server, client, Duration.ZERO));
            forward(client, server, delay);
        } catch (IOException e) {
            clients.remove(client);
            close(client);
        }
    }

    private void forward(Socket from, Socket to, Duration pause) {
        byte[] bytes = new byte[64 * 1024];
        int found = 0;
        try (from; to; InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                Thread.sleep(pause);
                if (silenced.contains(from)) {
                    continue;
                }
                if (isSilencedBy(bytes, read)) {
                    silenced.add(to);
                }
                if (from.equals(lost)) {
                    return;
                }
                if (losesResponseTo(bytes, read)) {
                    lost = to;
                }
                List<String> texts = failsAfter;
                boolean finds = found < texts.size() && contains(bytes, read, texts.get(found));
                found += finds ? 1 : 0;
                boolean last = finds && found == texts.size();
                if (last && forwardsLast) {
                    muted = to;
                } else if (last || from.equals(muted)) {
                    failNow();
                    continue;
                }
                out.write(bytes, 0, read);
            }
            if (silenced.contains(from)) {
                // The other side never gets the end either.
                Thread.sleep(Duration.ofDays(1));
            }
        } catch (IOException e) {
            // One side has closed its connection, so the other side is closed, too.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            clients.remove(from);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
