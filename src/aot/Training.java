import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Makes the JDK's ahead-of-time caches. At its end, a process writes its loaded classes to a cache.
///
/// - `petstore.aot`, for the service: starts it on an empty store, sends typical requests, and stops it.
/// - `commands.aot`, for the commands: exports that store.
///
/// Usage: `java Training.java FOLDER [JAVA]`. FOLDER has `petstore.jar` and gets the caches. JAVA is the `java` program that the caches
/// are for; by default the running one.
public class Training {

    private static final long PATIENCE_S = 120;

    private final Path built;
    private final String java;
    private final Path folder;

    private Training(Path built, String java, Path folder) {
        this.built = built;
        this.java = java;
        this.folder = folder;
    }

    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("petstore-training");
        Training training = new Training(Path.of(args[0]).toAbsolutePath(), args.length > 1 ? args[1] : runningJava(), folder);
        try {
            training.serve();
            training.export();
        } catch (IOException e) {
            System.err.println("Training: " + e.getMessage());
            try (Stream<String> log = Files.lines(training.log())) {
                log.forEach(System.err::println);
            }
            System.exit(1);
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static String runningJava() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private void serve() throws IOException, InterruptedException {
        Path cache = newCache("petstore.aot");
        Process service = start(cache, "serve", "--data", data(), "--port", "0", "--admin-port", "0");
        try (BufferedReader out = service.inputReader()) {
            String key = after("First API key, shown only once: ", out);
            URI api = URI.create(after("Petstore is ready: ", out) + "/");
            new Clients(api, key).use();
            // Not Process.destroy(), which would close the streams that the service still writes to.
            service.toHandle().destroy();
            out.transferTo(Writer.nullWriter());
            awaitCache(service, cache);
        } finally {
            service.toHandle().destroyForcibly();
        }
    }

    private void export() throws IOException, InterruptedException {
        Path cache = newCache("commands.aot");
        Process command = start(cache, "export", "--data", data(), folder.resolve("animals.ndjson").toString());
        try {
            awaitCache(command, cache);
        } finally {
            command.toHandle().destroyForcibly();
        }
    }

    private String data() {
        return folder.resolve("data").toString();
    }

    private Path log() {
        return folder.resolve("log");
    }

    private Path newCache(String name) throws IOException {
        Path cache = built.resolve(name);
        Files.deleteIfExists(cache);
        return cache;
    }

    /// Starts the program in Java's interpreter, which leaves no profiles of methods in the cache. With profiles, Java compiles hundreds of
    /// methods more while it starts, and a busy service adds animals more slowly in its first half minute.
    private Process start(Path cache, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(java, "-Xint", "-XX:+UseSerialGC", "-Dsun.misc.unsafe.memory.access=allow",
                "-XX:AOTCacheOutput=" + cache, "-Xlog:aot=error,cds=error", "-Dpetstore.lib=" + built.resolve("lib"), "-jar",
                built.resolve("petstore.jar").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(Redirect.appendTo(log().toFile()));
        builder.environment().keySet().removeIf(name -> name.matches("(PETSTORE|OTEL)_.*|.*JAVA_.*"));
        return builder.start();
    }

    private static void awaitCache(Process process, Path cache) throws IOException, InterruptedException {
        if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IOException("the program failed, or did not end in time");
        }
        if (!Files.exists(cache)) {
            throw new IOException("no cache was made");
        }
    }

    /// Returns the rest of the next line that begins with `begin`.
    private static String after(String begin, BufferedReader out) throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith(begin)) {
                return line.substring(begin.length());
            }
        }
        throw new IOException("the service ended before it was ready");
    }

    /// Clients that work at the same time. They add, list, page, fetch and revalidate animals, and send invalid requests.
    private static final class Clients {

        private static final int CLIENTS = 4;
        private static final int ROUNDS = 50;

        private final HttpClient http = HttpClient.newHttpClient();
        private final URI api;
        private final String key;

        Clients(URI api, String key) {
            this.api = api;
            this.key = key;
        }

        void use() throws InterruptedException {
            List<Thread> clients = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                clients.add(Thread.startVirtualThread(this::sendRequests));
            }
            for (Thread each : clients) {
                each.join();
            }
        }

        private void sendRequests() {
            for (int round = 1; round <= ROUNDS; round++) {
                send(request("pets").POST(BodyPublishers.ofString(
                        "{\"name\":\"Whiskers " + round + "\",\"categoryId\":" + round % 7 + ",\"status\":\"available\"}")));
                send(request("pets").POST(BodyPublishers.ofString("{\"name\":\"\"}")));
                send(request("pets").header("Idempotency-Key", UUID.randomUUID().toString())
                        .POST(BodyPublishers.ofString("{\"name\":\"Señor Llama\",\"categoryId\":7}")));
                String tag = send(request("pets")).headers().firstValue("ETag").orElse("");
                send(request("pets").header("If-None-Match", tag));
                send(request("pets?limit=100&status=available"));
                send(request("pets?limit=5&after=" + round));
                // Of a block in memory: nobody has requested this page before.
                send(request("pets?limit=" + round + "&after=" + 2 * round));
                send(request("pets/" + round));
                send(request("pets/many"));
                send(HttpRequest.newBuilder(api.resolve("pets")));
            }
        }

        private HttpRequest.Builder request(String path) {
            return HttpRequest.newBuilder(api.resolve(path)).header("Authorization", "Bearer " + key)
                    .header("Content-Type", "application/json");
        }

        private HttpResponse<String> send(HttpRequest.Builder request) {
            try {
                return http.send(request.build(), BodyHandlers.ofString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
