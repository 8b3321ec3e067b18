import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Load on the replicas of a cluster during one fault, with a ledger of its own, and the verdict.
///
/// Until the file FOLDER/stop appears, clients of each target create, list and fetch animals, ask whether it is ready, and use an API
/// key that is revoked meanwhile. Probes commit to each PostgreSQL server, so that it is known when the cluster could commit. At the end
/// the ledger, the database and the whole list of each replica are compared. Prints the cells of a row, separated by tabs: longest time
/// without a commit of the cluster, longest time until the first 201 after it, longest response (ms), animals created, responses with
/// 503, closed connections, and "holds" or the violations.
///
/// Usage: java ClusterLoad FOLDER TARGETS NODES [OPTION=VALUE]..., e.g.
/// java ClusterLoad /tmp/c replica-1=http://10.53.0.31:8080 10.53.0.11:5432,10.53.0.12:5432 stale=3000
/// - FOLDER/events: lines "milliseconds event" of the caller; the event "revoked" is the end of `petstore keys revoke`.
/// - cut-off=TARGETS: these do not reach the new primary. Their first 201 is not measured.
/// - away=TARGETS: these create nothing for a while although the cluster commits. Their first 201 is measured only after an outage.
/// - stale=MS: reads may lack animals that are acknowledged for less than MS: a target may still read from the former primary.
/// - no-commit=MS: a longer time without a commit of the cluster is a violation.
/// - failures=no: a 503 or a closed connection is a violation.
/// From the environment: PETSTORE_API_KEY, REVOKED_KEY, PGPASSWORD of the user petstore.
final class ClusterLoad {

    /// Longest response, and longest time until the first 201.
    private static final long LONGEST_MS = 5_000;
    private static final long FIRST_CREATED_MS = 4_000;
    /// Responses that take longer are logged. The service responds within two seconds.
    private static final long SLOW_MS = 2_500;
    /// Longest time without a commit after which a replica may still be ready, and after a revocation until it refuses the key.
    private static final long READY_MS = 3_000;
    private static final long REVOKED_MS = 2_000;
    /// A time without a commit or a 201 that is longer counts as an outage.
    private static final long OUTAGE_MS = 1_000;
    private static final Pattern PET = Pattern.compile(
            "\\{\"id\":(\\d+),\"name\":\"([^\"]*)\",\"categoryId\":(\\d+),\"status\":\"(\\w+)\"}");
    private static final Pattern NEXT = Pattern.compile("<([^>]*)>; rel=\"next\"");

    record Pet(long id, String name, long category, String status) {

        private static final String[] STATUSES = {"available", "pending", "sold"};

        static Pet parse(Matcher pet) {
            return new Pet(Long.parseLong(pet.group(1)), pet.group(2), Long.parseLong(pet.group(3)), pet.group(4));
        }

        static Pet numbered(String name, int number) {
            return new Pet(0, name, number % 7 + 1, STATUSES[number % 3]);
        }

        String json() {
            return "{\"name\":\"" + name + "\",\"categoryId\":" + category + ",\"status\":\"" + status + "\"}";
        }

        Pet withId(long given) {
            return new Pet(given, name, category, status);
        }
    }

    record Acknowledged(Pet pet, long ms) {
    }

    /// A response with its status, 0 for a closed connection.
    record Reply(int status, String body, String etag, String next, long sentMs) {
    }

    record Target(String name, URI uri) {
    }

    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(4)).build();
    private final String run = Long.toString(System.currentTimeMillis(), 36);
    private final List<Target> targets = new ArrayList<>();
    private final Map<String, String> options = new HashMap<>();
    private final Path folder;
    private final String[] nodes;
    private final PrintWriter ledger;
    private final Map<Long, Acknowledged> acknowledged = new ConcurrentHashMap<>();
    private final Map<String, Collection<Long>> createdMs = new ConcurrentHashMap<>();
    private final Map<String, Map<Long, Integer>> readiness = new ConcurrentHashMap<>();
    private final Map<String, Map<Long, Integer>> keyUses = new ConcurrentHashMap<>();
    private final Collection<Long> commitsMs = new ConcurrentSkipListSet<>();
    private final Map<String, AtomicInteger> violations = new ConcurrentSkipListMap<>();
    private final Map<Integer, AtomicInteger> statuses = new ConcurrentSkipListMap<>();
    private final AtomicLong longestMs = new AtomicLong();
    private final AtomicInteger created = new AtomicInteger();
    private final long stale;
    private volatile Pet last = new Pet(0, "", 0, "");
    private volatile boolean stopped;

    ClusterLoad(String[] arguments) throws IOException {
        folder = Path.of(arguments[0]);
        for (String target : arguments[1].split(",")) {
            targets.add(new Target(target.substring(0, target.indexOf('=')), URI.create(target.substring(target.indexOf('=') + 1))));
        }
        nodes = arguments[2].split(",");
        for (int i = 3; i < arguments.length; i++) {
            options.put(arguments[i].substring(0, arguments[i].indexOf('=')), arguments[i].substring(arguments[i].indexOf('=') + 1));
        }
        stale = Long.parseLong(options.getOrDefault("stale", "0"));
        Path file = folder.resolve("ledger");
        if (Files.exists(file)) {
            Matcher pet = PET.matcher(Files.readString(file));
            while (pet.find()) {
                Pet each = Pet.parse(pet);
                acknowledged.put(each.id(), new Acknowledged(each, 0));
                last = each.id() > last.id() ? each : last;
            }
        }
        ledger = new PrintWriter(Files.newBufferedWriter(file, CREATE, APPEND), true);
    }

    public static void main(String[] arguments) throws Exception {
        new ClusterLoad(arguments).run();
        System.exit(0);
    }

    private void run() throws Exception {
        long from = last.id();
        long stopMs;
        var probes = Executors.newVirtualThreadPerTaskExecutor();
        for (String node : nodes) {
            probes.submit(() -> probe(node));
        }
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Target target : targets) {
                createdMs.put(target.name, new ConcurrentSkipListSet<>());
                readiness.put(target.name, new ConcurrentSkipListMap<>());
                keyUses.put(target.name, new ConcurrentSkipListMap<>());
                clients.submit(() -> repeat(40, number -> create(target, number)));
                clients.submit(() -> repeat(40, number -> createOnce(target, number)));
                clients.submit(() -> list(target, from));
                clients.submit(() -> repeat(100, _ -> fetch(target)));
                clients.submit(() -> repeat(100, _ -> useRevokedKey(target)));
                if (target.name.startsWith("replica")) {
                    clients.submit(() -> repeat(100, _ -> askReadiness(target)));
                }
            }
            while (!Files.exists(folder.resolve("stop"))) {
                Thread.sleep(50);
            }
            stopMs = System.currentTimeMillis();
            stopped = true;
        }
        probes.shutdownNow();
        long revokedMs = 0;
        for (String event : Files.readAllLines(folder.resolve("events"))) {
            revokedMs = event.endsWith(" revoked") ? Long.parseLong(event.substring(0, event.indexOf(' '))) : revokedMs;
        }
        judgeStatuses();
        judgeKey(revokedMs);
        long beginMs = commitsMs.stream().findFirst().orElse(stopMs);
        long outage = judgeReadiness(beginMs, stopMs);
        if (outage > Long.parseLong(options.getOrDefault("no-commit", "" + Long.MAX_VALUE))) {
            violation("the cluster did not commit for " + outage + " ms");
        }
        long first = judgeRecovery(beginMs, stopMs);
        compare();
        if (longestMs.get() > LONGEST_MS) {
            violation("a response took longer than " + LONGEST_MS + " ms");
        }
        var verdict = new StringBuilder();
        violations.forEach((violation, count) -> verdict.append(verdict.isEmpty() ? "" : "; ")
                .append(count).append(" x ").append(violation));
        IO.println(String.join("\t", "" + outage, "" + first, "" + longestMs, "" + created, "" + count(503), "" + count(0),
                verdict.isEmpty() ? "holds" : verdict.toString()));
    }

    // --- Clients

    interface Step {

        void run(int number) throws Exception;
    }

    private void repeat(long pauseMs, Step step) {
        try {
            for (int i = 0; !stopped; i++) {
                step.run(i);
                Thread.sleep(pauseMs);
            }
        } catch (Exception | Error e) {
            e.printStackTrace();
            violation("defect of the load: " + e);
        }
    }

    private void create(Target target, int number) throws Exception {
        create(target, Pet.numbered(run + "-" + target.name + "-" + number, number), "");
    }

    /// Retries with the same Idempotency-Key, each time on another target, until there is a result.
    private void createOnce(Target target, int number) throws Exception {
        Pet pet = Pet.numbered(run + "-" + target.name + "-once-" + number, number);
        long endMs = 0;
        for (int turn = targets.indexOf(target); !create(targets.get(turn % targets.size()), pet, pet.name); turn++) {
            endMs = stopped && endMs == 0 ? System.currentTimeMillis() + 15_000 : endMs;
            if (stopped && System.currentTimeMillis() > endMs) {
                violation("a retried create had no result");
                return;
            }
            Thread.sleep(100);
        }
    }

    private boolean create(Target target, Pet pet, String idempotencyKey) throws Exception {
        var request = request(target, "/v1/pets", System.getenv("PETSTORE_API_KEY")).header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(pet.json()));
        Reply reply = send(target, idempotencyKey.isEmpty() ? request : request.header("Idempotency-Key", idempotencyKey));
        if (reply.status != 201) {
            return false;
        }
        long now = System.currentTimeMillis();
        Matcher body = PET.matcher(reply.body);
        Pet answered = body.matches() ? Pet.parse(body) : pet;
        if (!answered.equals(pet.withId(answered.id))) {
            violation("201 with another animal");
        } else if (acknowledged.putIfAbsent(answered.id, new Acknowledged(answered, now)) != null) {
            violation("an id acknowledged twice");
        } else {
            ledger.println("{\"id\":" + answered.id + "," + pet.json().substring(1));
            created.incrementAndGet();
            createdMs.get(target.name).add(now);
            last = answered.id > last.id ? answered : last;
        }
        return true;
    }

    /// Lists the animals of this load to the end, every second time with the entity tags of the time before.
    private void list(Target target, long from) {
        Map<String, Reply> pages = new HashMap<>();
        repeat(500, number -> {
            long deadline = System.currentTimeMillis() - stale;
            var expected = new HashMap<Long, Pet>();
            acknowledged.forEach((id, each) -> {
                if (each.ms > 0 && each.ms < deadline) {
                    expected.put(id, each.pet);
                }
            });
            for (String path = "/v1/pets?limit=100&after=" + from; path != null && !stopped;) {
                Reply known = number % 2 == 1 ? pages.get(path) : null;
                var request = request(target, path, System.getenv("PETSTORE_API_KEY"));
                Reply reply = send(target, known == null ? request : request.header("If-None-Match", known.etag));
                if (reply.status != 200 && reply.status != 304) {
                    return;
                }
                Reply page = reply.status == 304 ? known : reply;
                pages.put(path, page);
                Matcher pet = PET.matcher(page.body);
                while (pet.find()) {
                    Pet each = Pet.parse(pet);
                    Pet mine = expected.remove(each.id);
                    if (mine != null && !mine.equals(each)) {
                        violation("a listed animal was changed");
                    }
                }
                path = page.next;
                Thread.sleep(10);
            }
            if (!stopped && !expected.isEmpty()) {
                violation("a list lacked acknowledged animals");
            }
        });
    }

    private void fetch(Target target) throws Exception {
        Pet pet = last;
        if (pet.id == 0) {
            return;
        }
        Reply reply = send(target, request(target, "/v1/pets/" + pet.id, System.getenv("PETSTORE_API_KEY")));
        if (reply.status == 200) {
            Matcher body = PET.matcher(reply.body);
            if (!body.matches() || !Pet.parse(body).equals(pet)) {
                violation("a fetched animal was changed");
            }
            send(target, request(target, "/v1/pets/" + pet.id, System.getenv("PETSTORE_API_KEY")).header("If-None-Match", reply.etag));
        } else if (reply.status == 404 && reply.sentMs - acknowledged.get(pet.id).ms > stale) {
            violation("an acknowledged animal was not found");
        }
    }

    private void useRevokedKey(Target target) throws Exception {
        Reply reply = send(target, request(target, "/v1/pets?limit=1", System.getenv("REVOKED_KEY")));
        keyUses.get(target.name).put(reply.sentMs, reply.status);
    }

    private void askReadiness(Target target) throws Exception {
        Reply reply = send(target, request(target, "/readyz", ""));
        readiness.get(target.name).put(reply.sentMs, reply.status);
    }

    private HttpRequest.Builder request(Target target, String path, String key) {
        return HttpRequest.newBuilder(target.uri.resolve(path)).timeout(Duration.ofMillis(2 * LONGEST_MS))
                .header("Authorization", "Bearer " + key);
    }

    private Reply send(Target target, HttpRequest.Builder request) throws InterruptedException {
        long sentMs = System.currentTimeMillis();
        int status = 0;
        try {
            HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
            // HAProxy says so with 502 and 504 that a replica closed the connection or did not respond.
            boolean closed = target.name.equals("front") && (response.statusCode() == 502 || response.statusCode() == 504);
            status = closed ? 0 : response.statusCode();
            Matcher next = NEXT.matcher(response.headers().firstValue("Link").orElse(""));
            String etag = response.headers().firstValue("ETag").orElse("");
            return new Reply(status, response.body(), etag, next.find() ? next.group(1) : null, sentMs);
        } catch (IOException e) {
            return new Reply(0, "", "", null, sentMs);
        } finally {
            long tookMs = System.currentTimeMillis() - sentMs;
            longestMs.accumulateAndGet(tookMs, Math::max);
            if (tookMs > SLOW_MS) {
                System.err.println(sentMs + ": " + target.name + " gave " + status + " after " + tookMs + " ms: "
                        + request.build().method() + " " + request.build().uri());
            }
            statuses.computeIfAbsent(status, _ -> new AtomicInteger()).incrementAndGet();
        }
    }

    // --- Probes

    private Connection connect(String node, String database, int timeoutSeconds) throws SQLException {
        var properties = new Properties();
        properties.put("user", "petstore");
        properties.put("password", System.getenv("PGPASSWORD"));
        properties.put("connectTimeout", "1");
        properties.put("socketTimeout", "" + timeoutSeconds);
        return DriverManager.getConnection("jdbc:postgresql://" + node + "/" + database, properties);
    }

    /// Commits every 100 ms, and records the ends of commits without a warning: with one, no standby has the commit.
    private void probe(String node) {
        while (!Thread.interrupted()) {
            try (var connection = connect(node, "probe", 3); var statement = connection.createStatement()) {
                while (true) {
                    if (isCommitted(statement)) {
                        commitsMs.add(System.currentTimeMillis());
                    }
                    Thread.sleep(100);
                }
            } catch (SQLException e) {
                try {
                    Thread.sleep(100);
                } catch (InterruptedException stop) {
                    return;
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static boolean isCommitted(Statement statement) throws SQLException {
        try {
            statement.executeUpdate("UPDATE probe SET at = now()");
            return statement.getWarnings() == null;
        } catch (SQLException e) {
            if ("25006".equals(e.getSQLState())) {
                return false; // a standby
            }
            throw e;
        }
    }

    // --- Verdict

    private void violation(String text) {
        violations.computeIfAbsent(text, _ -> new AtomicInteger()).incrementAndGet();
    }

    private int count(int status) {
        return statuses.getOrDefault(status, new AtomicInteger()).get();
    }

    private void judgeStatuses() {
        statuses.forEach((status, count) -> {
            boolean failure = (status == 503 || status == 0) && options.getOrDefault("failures", "yes").equals("no");
            if (failure || !List.of(0, 200, 201, 304, 401, 404, 503).contains(status)) {
                violations.put(status == 0 ? "closed connection" : "status " + status, count);
            }
        });
    }

    private void judgeKey(long revokedMs) {
        int refused = 0;
        for (var uses : keyUses.values()) {
            for (var use : uses.entrySet()) {
                if (use.getValue() == 401 && (revokedMs == 0 || use.getKey() < revokedMs - LONGEST_MS)) {
                    violation("a valid key was refused");
                } else if (use.getValue() == 200 && revokedMs > 0 && use.getKey() > revokedMs + REVOKED_MS) {
                    violation("a revoked key was accepted after " + REVOKED_MS + " ms");
                }
                refused += use.getValue() == 401 ? 1 : 0;
            }
        }
        if (count(401) != refused) {
            violations.put("status 401 for a valid key", new AtomicInteger(count(401) - refused));
        } else if (revokedMs > 0 && refused == 0) {
            violation("the revoked key was never refused");
        }
    }

    /// Returns the longest time without a commit of the cluster. No replica is ready for long in such a time.
    private long judgeReadiness(long beginMs, long stopMs) {
        long longest = 0;
        long before = beginMs;
        var times = new ArrayList<>(commitsMs);
        times.add(stopMs);
        for (long commit : times) {
            longest = Math.max(longest, commit - before);
            for (var target : readiness.entrySet()) {
                // The replica may reach a new primary before the probe does.
                long end = commit - OUTAGE_MS;
                long late = before + READY_MS;
                target.getValue().forEach((ms, status) -> {
                    if (status == 200 && ms > late && ms < end) {
                        violation(target.getKey() + " was ready after " + READY_MS + " ms without a commit");
                    }
                });
            }
            before = commit;
        }
        return longest;
    }

    private boolean isIn(String option, Target target) {
        return List.of(options.getOrDefault(option, "").split(",")).contains(target.name);
    }

    /// Returns the longest time from the cluster's first commit after an outage to the first 201 of a target.
    private long judgeRecovery(long beginMs, long stopMs) {
        long longest = 0;
        var commits = new ConcurrentSkipListSet<>(commitsMs);
        for (Target target : targets) {
            if (isIn("cut-off", target)) {
                continue;
            }
            long before = beginMs;
            var times = new ArrayList<>(createdMs.get(target.name));
            times.add(stopMs);
            for (long time : times) {
                long possible = isIn("away", target) ? time : before;
                long previous = before;
                for (long commit : time - before > OUTAGE_MS ? commits.subSet(before, time) : List.<Long>of()) {
                    possible = commit - previous > OUTAGE_MS ? commit : possible;
                    previous = commit;
                }
                // The probe was as long without a commit.
                if (time - before > OUTAGE_MS && time - previous <= OUTAGE_MS) {
                    longest = Math.max(longest, time - possible);
                    if (time - possible > FIRST_CREATED_MS) {
                        violation(target.name + " had its first 201 after " + (time - possible) + " ms");
                    }
                }
                before = time;
            }
        }
        return longest;
    }

    /// Compares the ledger, the database and the list of each replica.
    private void compare() throws Exception {
        var stored = new TreeMap<Long, Pet>();
        var names = new HashSet<String>();
        try (var connection = connect(String.join(",", nodes), "petstore?targetServerType=primary", 30);
                var rows = connection.createStatement().executeQuery("SELECT id, name, category_id, status FROM pet")) {
            while (rows.next()) {
                var pet = new Pet(rows.getLong(1), rows.getString(2), rows.getLong(3), rows.getString(4));
                stored.put(pet.id, pet);
                if (!names.add(pet.name)) {
                    violation("an animal was added twice");
                }
            }
        }
        acknowledged.forEach((id, each) -> {
            if (!each.pet.equals(stored.get(id))) {
                violation(stored.containsKey(id) ? "an acknowledged animal was changed" : "an acknowledged animal is missing");
            }
        });
        for (Target target : targets) {
            var listed = new ArrayList<Pet>();
            for (String path = "/v1/pets?limit=100"; path != null;) {
                Reply page = send(target, request(target, path, System.getenv("PETSTORE_API_KEY")));
                Matcher pet = PET.matcher(page.body);
                while (pet.find()) {
                    listed.add(Pet.parse(pet));
                }
                path = page.next;
            }
            if (!listed.equals(List.copyOf(stored.values()))) {
                violation("the list of " + target.name + " differs from the database");
            }
        }
    }
}
