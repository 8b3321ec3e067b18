package petstore.testkit;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAccumulator;

import petstore.NewPet;

/// Clients that add animals until they are stopped or lose the server. Each sends the next animal as soon as it has the response.
public final class Load implements AutoCloseable {

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<CompletableFuture<Void>> clients = new ArrayList<>();
    private final HttpRequest.Builder request;
    private final Ledger ledger;
    private final Runnable onResponse;
    private final LongAccumulator longestNs = new LongAccumulator(Math::max, 0);
    private volatile boolean stopped;

    /// @param onResponse called by a client for each response, after the ledger has recorded it
    public Load(int clients, int port, String key, Ledger ledger, Runnable onResponse) {
        this.ledger = ledger;
        this.onResponse = onResponse;
        this.request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/pets"))
                .timeout(Duration.ofSeconds(30)).header("Authorization", "Bearer " + key)
                .header("Content-Type", "application/json");
        for (int i = 0; i < clients; i++) {
            this.clients.add(CompletableFuture.runAsync(this::addAnimals, threads));
        }
    }

    private void addAnimals() {
        while (!stopped) {
            NewPet pet = ledger.next();
            long beganNs = System.nanoTime();
            try {
                HttpResponse<String> response = http.send(
                        request.copy().POST(BodyPublishers.ofString(Ledger.json(pet))).build(),
                        BodyHandlers.ofString());
                longestNs.accumulate(System.nanoTime() - beganNs);
                ledger.recordResponse(pet, response);
                onResponse.run();
            } catch (IOException e) {
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /// Returns the time of the longest request so far.
    public Duration longest() {
        return Duration.ofNanos(longestNs.get());
    }

    /// Waits until every client has ended: it has lost the server, or was stopped. Fails if a client got a wrong response.
    public void awaitEnd() {
        for (CompletableFuture<Void> client : clients) {
            try {
                client.join();
            } catch (CompletionException e) {
                throw new AssertionError("a client got a wrong response", e);
            }
        }
    }

    /// Stops every client after its current response. Fails if a client got a wrong response.
    @Override
    public void close() {
        stopped = true;
        threads.close();
        http.close();
        awaitEnd();
    }
}
