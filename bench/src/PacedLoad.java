import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/// Open-loop load: requests are due at fixed moments, and how long one took counts from when it was due. So an answer that is
/// late also counts for the requests that had to wait for it, which a closed loop would leave out.
final class PacedLoad {

    private static final long LEAD_NANOS = 20_000_000;
    /// How much longer than planned a run may take, with one bad moment, before the rate counts as not reached.
    private static final double OVERTIME = 1.1;
    private static final double MOMENT_SECONDS = 0.5;

    private PacedLoad() {
    }

    /// The 99th percentile in milliseconds, as the value too.
    ///
    /// Errors: [IOException] when an answer is wrong, or the rate was not reached.
    static Sample run(int port, Load load, double perSecond, int seconds) throws IOException, InterruptedException {
        int clients = load.connections();
        int each = (int) (perSecond * seconds / clients);
        double between = clients * 1e9 / perSecond;
        long begin = System.nanoTime() + LEAD_NANOS;
        long[][] nanos = new long[clients][each];
        List<Callable<Void>> work = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            long first = begin + (long) (between * client / clients);
            long[] own = nanos[client];
            work.add(() -> client(port, load, first, between, own));
        }
        // Platform threads: a virtual one would share two carriers with all the others.
        try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
            for (Future<Void> client : threads.invokeAll(work)) {
                client.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("paced load: " + e.getCause(), e);
        }
        double took = (System.nanoTime() - begin) / 1e9;
        if (took > seconds * OVERTIME + MOMENT_SECONDS) {
            throw new IOException(String.format("%.0f requests a second were not reached: %d s took %.1f s", perSecond,
                    seconds, took));
        }
        long[] all = Arrays.stream(nanos).flatMapToLong(Arrays::stream).sorted().toArray();
        double p99 = all[all.length * 99 / 100] / 1e6;
        return new Sample(p99, all[all.length / 2] / 1e6, p99);
    }

    private static Void client(int port, Load load, long first, double between, long[] nanos) throws IOException {
        byte[] request = load.exampleGet();
        try (RawHttp connection = new RawHttp(port)) {
            for (int i = 0; i < nanos.length; i++) {
                long due = first + (long) (i * between);
                for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
                    LockSupport.parkNanos(wait);
                }
                int status = connection.ask(request);
                if (status != load.status()) {
                    throw new IOException("an answer has status " + status);
                }
                nanos[i] = System.nanoTime() - due;
            }
        }
        return null;
    }
}
