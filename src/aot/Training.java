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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Makes the JDK's ahead-of-time caches: archives of loaded and linked classes, with which Java starts in half the time.
///
/// - `petstore.aot`, for the service: starts it on an empty store, sends typical requests, and stops it.
/// - `commands.aot`, for the commands: runs some of them on that store. `-Xshare:dump` makes one cache of the classes of all;
///   `-XX:AOTCacheOutput` would make it of one process.
///
/// `-XX:AOTCacheOutput` would also keep machine code for this processor, with which Java 25 ends by SIGILL on an older one (JDK-8388703).
///
/// Usage: `java Training.java FOLDER [JAVA]`. FOLDER has `petstore.jar` and gets the caches. JAVA is the `java` program that the caches
/// are for; by default the running one. The launcher uses a cache only if `jdk.release` equals the JDK's file `release`, and the cache
/// has the time of the jar.
public class Training {

    private static final long PATIENCE_S = 120;
    private static final String RUNNING_JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

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
        Training training = new Training(Path.of(args[0]).toAbsolutePath(), args.length > 1 ? args[1] : RUNNING_JAVA, folder);
        int code = 0;
        try {
            training.cache("petstore.aot", training.serve());
            training.cache("commands.aot", training.commands());
            training.copyRelease();
        } catch (IOException e) {
            System.err.println("Training: " + e.getMessage());
            try (Stream<String> log = Files.lines(training.log())) {
                log.forEach(System.err::println);
            }
            code = 1;
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        System.exit(code);
    }

    /// Returns the list of the classes of the service.
    private List<Path> serve() throws IOException, InterruptedException {
        Path classes = folder.resolve("serve.classes");
        Process service = builder(program(classes, "serve", "--port", "0", "--admin-port", "0")).start();
        try (BufferedReader out = service.inputReader()) {
            String key = after("First API key, shown only once: ", out);
            URI api = URI.create(after("Petstore is ready: ", out) + "/");
            new Clients(api, key).use();
            // Not Process.destroy(), which would close the streams that the service still writes to.
            service.toHandle().destroy();
            out.transferTo(Writer.nullWriter());
            await(service);
        } finally {
            service.toHandle().destroyForcibly();
            service.waitFor();
        }
        return List.of(classes);
    }

    /// Returns the lists of the classes of commands, one for each command.
    private List<Path> commands() throws IOException, InterruptedException {
        String animals = folder.resolve("animals.ndjson").toString();
        List<Path> lists = new ArrayList<>();
        for (String[] command : new String[][]{{"keys", "create", "--name", "trained"}, {"keys", "list"}, {"export", animals},
                {"import", animals}, {"backup", folder.resolve("backup.db").toString()}}) {
            Path classes = folder.resolve(lists.size() + ".classes");
            run(program(classes, command));
            lists.add(classes);
        }
        return lists;
    }

    private Path log() {
        return folder.resolve("log");
    }

    /// Returns a command line of the program, which writes the names of its classes to a file.
    private List<String> program(Path classes, String... arguments) {
        List<String> command = new ArrayList<>(List.of(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                "-Dsun.misc.unsafe.memory.access=allow", "-XX:DumpLoadedClassList=" + classes, "-jar", jar()));
        command.addAll(List.of(arguments));
        return command;
    }

    private String jar() {
        return built.resolve("petstore.jar").toString();
    }

    private ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(Redirect.appendTo(log().toFile()));
        builder.environment().keySet().removeIf(name -> name.matches("(PETSTORE|OTEL)_.*|.*JAVA_.*"));
        builder.environment().put("PETSTORE_DATA", folder.resolve("data").toString());
        return builder;
    }

    /// Runs a command to its end. Its output goes to the log.
    private void run(List<String> command) throws IOException, InterruptedException {
        Process process = builder(command).redirectOutput(Redirect.appendTo(log().toFile())).start();
        try {
            await(process);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /// Makes a cache of all classes in these lists. Throws [IOException] if Java cannot use it.
    private void cache(String name, List<Path> lists) throws IOException, InterruptedException {
        Set<String> all = new LinkedHashSet<>();
        for (Path list : lists) {
            try (Stream<String> lines = Files.lines(list)) {
                // The numbers of classes differ between lists. Only classes of other class loaders need theirs.
                lines.filter(line -> !line.contains(" source: ")).map(line -> line.replaceFirst(" id: \\d+$", "")).forEach(all::add);
            }
        }
        Path classes = Files.write(folder.resolve(name + ".classes"), all);
        Path cache = built.resolve(name);
        Files.deleteIfExists(cache);
        run(List.of(java, "-Xshare:dump", "-XX:+UseSerialGC", "-XX:+AOTClassLinking", "-Dsun.misc.unsafe.memory.access=allow",
                "-Xlog:aot=error,cds=error", "-XX:SharedClassListFile=" + classes, "-XX:SharedArchiveFile=" + cache, "-cp", jar()));
        // Java exits with 0 also if it makes no cache, or one that it cannot use.
        try {
            run(List.of(java, "-XX:AOTMode=on", "-XX:AOTCache=" + cache, "-XX:+UseSerialGC", "-jar", jar(), "--version"));
        } catch (IOException e) {
            throw new IOException("Java cannot use " + cache, e);
        }
        Files.setLastModifiedTime(cache, Files.getLastModifiedTime(Path.of(jar())));
    }

    /// Copies the JDK's description of itself. A JDK without one gets an empty copy.
    private void copyRelease() throws IOException {
        Path release = Path.of(java).toAbsolutePath().getParent().resolveSibling("release");
        Files.write(built.resolve("jdk.release"), Files.exists(release) ? Files.readAllBytes(release) : new byte[0]);
    }

    private static void await(Process process) throws IOException, InterruptedException {
        if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IOException("a process failed, or did not end in time");
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
