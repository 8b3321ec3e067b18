import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
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

/// Makes the JDK's ahead-of-time cache of the service: starts it on an empty store, uses it as its clients would, and stops it,
/// which writes down the classes that it loaded and what the JVM learned about its methods.
///
/// Usage: `java Training.java JAR CACHE [JAVA]`, where JAVA is the program that the cache is for, this one when not given.
public class Training {

    private static final int CLIENTS = 4;
    private static final int ROUNDS = 50;
    private static final long PATIENCE_S = 120;

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI api;
    private final String key;

    private Training(URI api, String key) {
        this.api = api;
        this.key = key;
    }

    public static void main(String[] args) throws Exception {
        Path jar = Path.of(args[0]).toAbsolutePath();
        Path cache = Path.of(args[1]).toAbsolutePath();
        Path folder = Files.createTempDirectory("petstore-training");
        try {
            Files.deleteIfExists(cache);
            train(args.length > 2 ? args[2] : own(), jar, cache, folder);
            if (!Files.exists(cache)) {
                throw new IOException("no cache was made");
            }
        } catch (IOException e) {
            System.err.println("Training: " + e.getMessage());
            try (Stream<String> log = Files.lines(folder.resolve("log"))) {
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

    private static String own() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static void train(String java, Path jar, Path cache, Path folder) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(java, "-XX:+UseSerialGC", "-XX:AOTCacheOutput=" + cache, "-Xlog:aot=error,cds=error",
                "-jar", jar.toString(), "serve", "--data", folder.resolve("data").toString(), "--port", "0",
                "--admin-port", "0");
        builder.environment().keySet().removeIf(name -> name.startsWith("PETSTORE_") || name.contains("JAVA_"));
        Process service = builder.redirectError(folder.resolve("log").toFile()).start();
        try (BufferedReader out = service.inputReader()) {
            String key = after("First API key, shown only once: ", out);
            URI api = URI.create(after("Petstore is ready: ", out) + "/");
            new Training(api, key).use();
            // Not destroy(), which would close the streams that it still writes to.
            service.toHandle().destroy();
            out.transferTo(Writer.nullWriter());
            if (!service.waitFor(PATIENCE_S, TimeUnit.SECONDS) || service.exitValue() != 0) {
                throw new IOException("the service did not stop as it should");
            }
        } finally {
            service.toHandle().destroyForcibly();
        }
    }

    /// The rest of the next line that begins like this.
    private static String after(String begin, BufferedReader out) throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith(begin)) {
                return line.substring(begin.length());
            }
        }
        throw new IOException("the service ended before it was ready");
    }

    /// What clients do: a few of them at a time add, list, page, fetch, revalidate and make mistakes.
    private void use() throws InterruptedException {
        List<Thread> clients = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            clients.add(Thread.startVirtualThread(this::useAsOne));
        }
        for (Thread each : clients) {
            each.join();
        }
    }

    private void useAsOne() {
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
