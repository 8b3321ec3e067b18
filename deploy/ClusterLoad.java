import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Adds and lists animals until the file STOP_FILE appears. Writes a line "milliseconds id name" for each acknowledged animal to
/// LEDGER. At the end, prints the numbers of outcomes as one line of JSON.
///
/// One client of four adds animals. Two add with an Idempotency-Key, and retry until they have a response. One lists the animal that
/// was acknowledged last.
///
/// Usage: java ClusterLoad.java URL CLIENTS PREFIX LEDGER STOP_FILE, with the API key in PETSTORE_API_KEY.
void main(String[] arguments) throws Exception {
    Path stop = Path.of(arguments[4]);
    try (var ledger = new PrintWriter(Files.newBufferedWriter(Path.of(arguments[3])), true);
            var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
        var load = new Load(client, URI.create(arguments[0] + "/v1/pets"), System.getenv("PETSTORE_API_KEY"), ledger);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
                int number = i;
                threads.submit(() -> load.client(number, arguments[2] + "-" + number + "-"));
            }
            while (!Files.exists(stop)) {
                Thread.sleep(50);
            }
            load.stop();
        }
        IO.println(load.summary());
    }
}

static final class Load {

    /// Longer than any response may take. A request that takes longer hangs.
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /// The time for retries after the end of the load: the database is back by then.
    private static final Duration RETRY_TIME = Duration.ofSeconds(15);
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");

    private record Acknowledged(long id, String name) {
    }

    private final HttpClient client;
    private final URI uri;
    private final String key;
    private final PrintWriter ledger;
    private final Map<String, AtomicLong> counts = new ConcurrentSkipListMap<>();
    private final AtomicReference<Acknowledged> last = new AtomicReference<>();
    private final AtomicLong longestMs = new AtomicLong();
    private volatile long stoppedNs;
    private volatile boolean stopped;

    Load(HttpClient client, URI uri, String key, PrintWriter ledger) {
        this.client = client;
        this.uri = uri;
        this.key = key;
        this.ledger = ledger;
        for (String kind : new String[]{"created", "listed", "replayed", "lost", "unanswered"}) {
            counts.put(kind, new AtomicLong());
        }
    }

    void stop() {
        stoppedNs = System.nanoTime();
        stopped = true;
    }

    void client(int number, String prefix) {
        try {
            for (int i = 0; !stopped; i++) {
                switch (number % 4) {
                    case 0 -> list();
                    case 1 -> create(prefix + i, request(uri));
                    default -> createOnce(prefix + i);
                }
                Thread.sleep(PAUSE);
            }
        } catch (Throwable e) {
            count("defects of the load");
            e.printStackTrace();
        }
    }

    private HttpRequest.Builder request(URI address) {
        return HttpRequest.newBuilder(address).timeout(PATIENCE).header("Authorization", "Bearer " + key);
    }

    /// Adds an animal. Returns false without a response: the outcome is unknown then, and only an Idempotency-Key makes a retry safe.
    private boolean create(String name, HttpRequest.Builder request) throws InterruptedException {
        String body = "{\"name\":\"" + name + "\",\"categoryId\":1}";
        HttpResponse<String> response = send(request.header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)).build(), 201);
        if (response == null) {
            return false;
        }
        Matcher id = ID.matcher(response.body());
        if (!id.find() || !response.body().contains("\"" + name + "\"")) {
            count("wrong responses");
            return true;
        }
        var pet = new Acknowledged(Long.parseLong(id.group(1)), name);
        ledger.println(System.currentTimeMillis() + " " + pet.id + " " + name);
        last.set(pet);
        count("created");
        if (response.headers().firstValue("Idempotent-Replayed").isPresent()) {
            count("replayed");
        }
        return true;
    }

    private void createOnce(String name) throws InterruptedException {
        while (!create(name, request(uri).header("Idempotency-Key", name))) {
            if (stopped && System.nanoTime() - stoppedNs > RETRY_TIME.toNanos()) {
                count("unanswered");
                return;
            }
            Thread.sleep(PAUSE);
        }
    }

    /// Lists the last acknowledged animal, which every replica must return from then on.
    private void list() throws InterruptedException {
        Acknowledged pet = last.get();
        long after = pet == null ? 0 : pet.id - 1;
        HttpResponse<String> response = send(
                request(URI.create(uri + "?limit=100" + (after == 0 ? "" : "&after=" + after))).GET().build(), 200);
        if (response != null) {
            count("listed");
            if (pet != null && !response.body().startsWith("[{\"id\":" + pet.id + ",\"name\":\"" + pet.name + "\"")) {
                count("lost");
            }
        }
    }

    /// Returns the response if it has the expected status. Else counts the outcome and returns null.
    private HttpResponse<String> send(HttpRequest request, int expected) throws InterruptedException {
        long begin = System.nanoTime();
        try {
            HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
            if (response.statusCode() == expected) {
                return response;
            }
            count("status " + response.statusCode());
        } catch (HttpTimeoutException e) {
            count("hanging");
        } catch (IOException e) {
            count("broken");
        } finally {
            longestMs.accumulateAndGet((System.nanoTime() - begin) / 1_000_000, Math::max);
        }
        return null;
    }

    private void count(String outcome) {
        counts.computeIfAbsent(outcome, _ -> new AtomicLong()).incrementAndGet();
    }

    String summary() {
        var json = new StringBuilder("{");
        counts.forEach((outcome, count) -> json.append('"').append(outcome).append("\":").append(count).append(','));
        return json.append("\"longest ms\":").append(longestMs).append('}').toString();
    }
}
