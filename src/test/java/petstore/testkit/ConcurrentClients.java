package petstore.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;

/// Clients that run concurrently, each reported as a dynamic test.
public final class ConcurrentClients {

    /// The requests and assertions of a client.
    @FunctionalInterface
    public interface Client {
        void run() throws Exception;
    }

    private static final long LIMIT_SECONDS = 45;

    private final Map<String, Callable<Void>> clients = new LinkedHashMap<>();

    /// Adds a client.
    ///
    /// @param name the tested behaviour, e.g. `closes silent connections`
    public void add(String name, Client client) {
        clients.put(name, () -> {
            client.run();
            return null;
        });
    }

    /// Runs all clients, for at most 45 seconds. Returns a test for each client.
    public Stream<DynamicTest> run() throws InterruptedException {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Void>> results = threads.invokeAll(clients.values(), LIMIT_SECONDS,
                    TimeUnit.SECONDS);
            List<DynamicTest> tests = new ArrayList<>();
            clients.forEach((name, _) -> {
                Future<Void> result = results.get(tests.size());
                tests.add(DynamicTest.dynamicTest(name, () -> check(name, result)));
            });
            return tests.stream();
        }
    }

    private static void check(String name, Future<Void> result) {
        switch (result.state()) {
            case FAILED -> throw new AssertionError("failed: " + name, result.exceptionNow());
            case CANCELLED -> throw new AssertionError("not finished within " + LIMIT_SECONDS + " seconds: " + name);
            case RUNNING, SUCCESS -> {
                // The client has finished.
            }
        }
    }
}
