import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// Open-loop load: requests are due at fixed moments, and a duration begins when its request is due. So a late response also
/// lengthens the durations of the requests behind it, which a closed loop would not measure.
///
/// One thread serves all clients. Waking a thread for each client takes more processor time than the server, and the durations would
/// mostly measure the wait for a processor.
final class PacedLoad implements AutoCloseable {

    private static final long LEAD_NANOS = 20_000_000;
    /// The longest sleep of the thread between two looks for responses: the precision of a duration.
    private static final long NAP_NANOS = 20_000;
    /// The rate is not reached if a run takes longer than this factor and [#MOMENT_SECONDS].
    private static final double OVERTIME = 1.1;
    private static final double MOMENT_SECONDS = 0.5;

    private final byte[] request;
    private final byte[] response;
    private final Selector selector = Selector.open();
    private final List<Client> clients = new ArrayList<>();
    private final ByteBuffer read = ByteBuffer.allocateDirect(1 << 16);

    private PacedLoad(byte[] request, byte[] response) throws IOException {
        this.request = request;
        this.response = response;
    }

    /// One connection, with at most one request in flight.
    private final class Client {
        private final SocketChannel channel;
        private final double between;
        private final double first;
        private final long[] nanos;
        private int sent;
        private int answered;
        private int missing;

        Client(int port, double first, double between, int requests) throws IOException {
            channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false).register(selector, SelectionKey.OP_READ, this);
            this.first = first;
            this.between = between;
            this.nanos = new long[requests];
        }

        boolean isDone() {
            return answered == nanos.length;
        }

        boolean isWaiting() {
            return sent > answered;
        }

        /// The time of the next request, or of the request in flight.
        long due() {
            return (long) (first + answered * between);
        }

        void send() throws IOException {
            ByteBuffer bytes = ByteBuffer.wrap(request);
            channel.write(bytes);
            if (bytes.hasRemaining()) {
                throw new IOException("a request was not sent at once");
            }
            sent++;
            missing = response.length;
        }

        void receive() throws IOException {
            read.clear();
            int length = channel.read(read);
            boolean begins = missing == response.length;
            missing -= length;
            if (length <= 0 || missing < 0 || !isWaiting() || (begins && !hasStatus())) {
                throw new IOException("a response differs from the first");
            }
            if (missing == 0) {
                nanos[answered] = System.nanoTime() - due();
                answered++;
            }
        }

        private boolean hasStatus() {
            byte[] line = new byte[Math.min(read.position(), "HTTP/1.1 200".length())];
            read.get(0, line);
            return Arrays.equals(line, Arrays.copyOf(response, line.length));
        }
    }

    /// Sends requests at a fixed rate. Returns the median and the 99th percentile in milliseconds; the latter is the value, too.
    ///
    /// Errors: [IOException] if a response is wrong, or the rate is not reached.
    static Sample run(int port, Load load, double perSecond, int seconds) throws IOException {
        byte[] request = load.exampleGet();
        byte[] response = RawHttp.once(port, request);
        if (RawHttp.status(response) != load.status()) {
            throw new IOException("unexpected first response: " + new String(response, StandardCharsets.UTF_8));
        }
        double between = load.connections() * 1e9 / perSecond;
        try (PacedLoad paced = new PacedLoad(request, response)) {
            long begin = System.nanoTime() + LEAD_NANOS;
            for (int i = 0; i < load.connections(); i++) {
                paced.clients.add(paced.new Client(port, begin + i * between / load.connections(), between,
                        (int) (seconds * 1e9 / between)));
            }
            paced.run();
            double took = (System.nanoTime() - begin) / 1e9;
            if (took > seconds * OVERTIME + MOMENT_SECONDS) {
                throw new IOException(String.format("%.0f requests a second were not reached: %d s took %.1f s",
                        perSecond, seconds, took));
            }
            long[] all = paced.clients.stream().flatMapToLong(client -> Arrays.stream(client.nanos)).sorted().toArray();
            double p99 = all[all.length * 99 / 100] / 1e6;
            return new Sample(p99, all[all.length / 2] / 1e6, p99);
        }
    }

    private void run() throws IOException {
        while (!clients.stream().allMatch(Client::isDone)) {
            long now = System.nanoTime();
            long rest = NAP_NANOS;
            for (Client client : clients) {
                if (!client.isDone() && !client.isWaiting()) {
                    rest = Math.min(rest, client.due() - now);
                    if (client.due() <= now) {
                        client.send();
                    }
                }
            }
            if (selector.selectNow(key -> receive((Client) key.attachment())) == 0 && rest > 0) {
                LockSupport.parkNanos(rest);
            }
        }
    }

    private static void receive(Client client) {
        try {
            client.receive();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        for (Client client : clients) {
            client.channel.close();
        }
        selector.close();
    }
}
