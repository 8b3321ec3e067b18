import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The process of an HTTP server: the service or the ceiling.
final class Server implements AutoCloseable {

    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final int POLL_MS = 2;

    final int port;
    private final Lab lab;
    private final Process process;
    private final Path log;
    private final double startSeconds;

    /// Starts the process, and waits until the response to `probe` has this status.
    private Server(Lab lab, int port, List<String> command, Map<String, String> environment, byte[] probe, int status)
            throws IOException, InterruptedException {
        this.lab = lab;
        this.port = port;
        this.log = lab.newPath("server-log");
        long began = System.nanoTime();
        this.process = lab.startServer(command, environment, log);
        try {
            await(began, probe, status);
        } catch (IOException | InterruptedException e) {
            close();
            throw e;
        }
        this.startSeconds = (System.nanoTime() - began) / 1e9;
    }

    /// Starts `petstore serve` with the launcher and default settings.
    ///
    /// @param javaOptions more options for Java; empty for none
    static Server service(Lab lab, Store store, String javaOptions) throws IOException, InterruptedException {
        int port = Lab.freePort();
        List<String> command = new ArrayList<>(List.of(lab.home.resolve("petstore").toString(), "serve",
                "--port", String.valueOf(port), "--admin-port", "0"));
        command.addAll(store.options());
        Map<String, String> environment = new HashMap<>(store.environment());
        environment.put("PETSTORE_API_KEY", lab.key);
        environment.put("PETSTORE_JAVA_OPTIONS", javaOptions);
        return new Server(lab, port, command, environment, Load.get("/v1/pets", lab.key).exampleGet(), 200);
    }

    /// Starts the ceiling with the responses of [Load#capture], and with the launcher's options for Java.
    ///
    /// @param cache `-XX:AOTCache=…`: the service has a cache too, whose profiles make code fast earlier
    static Server ceiling(Lab lab, Path responses, Load load, String cache) throws IOException, InterruptedException {
        int port = Lab.freePort();
        List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), cache,
                "-XX:+UseSerialGC", "-Xms48m", "-Xmn24m", "-Xmx128m", "-Dio.netty.allocator.type=pooled",
                "-Dsun.misc.unsafe.memory.access=allow",
                "-Xlog:aot=off,cds=off", "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                "Ceiling", String.valueOf(port), responses.toString());
        byte[] probe = load.posts() < 1 ? load.exampleGet() : load.examplePost();
        return new Server(lab, port, command, Map.of(), probe, load.status());
    }

    private void await(long began, byte[] probe, int status) throws IOException, InterruptedException {
        while (true) {
            try {
                byte[] response = RawHttp.once(port, probe);
                if (RawHttp.status(response) == status) {
                    return;
                }
            } catch (IOException e) {
                // The server does not listen yet.
            }
            if (!process.isAlive() || System.nanoTime() - began > PATIENCE_NANOS) {
                throw new IOException("the server did not start: " + Files.readString(log));
            }
            Thread.sleep(POLL_MS);
        }
    }

    /// Returns the seconds from the start of the process to the first expected response.
    double startSeconds() {
        return startSeconds;
    }

    /// Returns the resident memory of the process, in MiB.
    double residentMib() throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024.0).findFirst().orElseThrow();
    }

    /// Empties the log. It has a line for each request, and the system may be slow to find memory for a file that only grows.
    void emptyLog() throws IOException {
        Files.newOutputStream(log, StandardOpenOption.TRUNCATE_EXISTING).close();
    }

    /// Stops the process, and deletes its log.
    @Override
    public void close() {
        lab.stop(process);
        lab.delete(log);
    }
}
