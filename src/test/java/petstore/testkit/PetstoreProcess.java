package petstore.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/// The packaged program `petstore`, started as people start it, in its own process.
///
/// ```java
/// try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady()) {
///     new ApiClient(server.port(), server.firstKey().orElseThrow()).get("/v1/pets");
/// }
/// ```
public final class PetstoreProcess implements AutoCloseable {

    /// The result of an ended process.
    ///
    /// @param code the exit code; 128 plus the number of the signal if a signal killed the process
    /// @param out the lines on stdout
    /// @param err the lines on stderr
    public record Ending(int code, List<String> out, List<String> err) {
    }

    /// The launcher that Maven has built.
    public static final Path LAUNCHER = Path.of("target/petstore").toAbsolutePath();
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern READY = Pattern.compile("Petstore is ready: https?://127\\.0\\.0\\.1:([0-9]+)/v1");
    private static final Pattern ADMIN = Pattern.compile("Admin: http://127\\.0\\.0\\.1:([0-9]+)");
    private static final Pattern FIRST_KEY = Pattern.compile("First API key, shown only once: (pets_.*)");

    private final Process process;
    private final Object outputLock = new Object();
    private final List<String> out = new CopyOnWriteArrayList<>();
    private final List<String> err = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final List<Thread> readers;

    private PetstoreProcess(Process process) {
        this.process = process;
        this.readers = List.of(
                Thread.ofVirtual().start(() -> collect(process.inputReader(StandardCharsets.UTF_8), out)),
                Thread.ofVirtual().start(() -> collect(process.errorReader(StandardCharsets.UTF_8), err)));
    }

    /// Starts `petstore` with these arguments.
    public static PetstoreProcess start(Map<String, String> environment, String... arguments) {
        return startThrough(List.of(), environment, arguments);
    }

    /// Starts `petstore` with these arguments, through a command that replaces itself with it.
    ///
    /// @param starter the command, e.g. `prlimit --nofile=100`
    public static PetstoreProcess startThrough(List<String> starter, Map<String, String> environment,
            String... arguments) {
        List<String> command = new ArrayList<>(starter);
        command.add(LAUNCHER.toString());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = Programs.builder(command);
        builder.environment().put("PETSTORE_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            return new PetstoreProcess(process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Starts `petstore serve` on the store in `folder`, on free ports.
    public static PetstoreProcess serve(Path folder, String... more) {
        return serve(Map.of(), folder, more);
    }

    /// Starts `petstore serve` on the store in `folder`, on free ports, with these environment variables.
    public static PetstoreProcess serve(Map<String, String> environment, Path folder, String... more) {
        return serve(List.of(), environment, List.of("--data", folder.toString()), more);
    }

    /// Starts `petstore serve` on the store in `folder`, on free ports, through a command that replaces itself with it.
    public static PetstoreProcess serveThrough(List<String> starter, Path folder, String... more) {
        return serve(starter, Map.of(), List.of("--data", folder.toString()), more);
    }

    /// Starts `petstore serve` on a PostgreSQL database, on free ports.
    ///
    /// @param database the URL of the database, as psql accepts it
    public static PetstoreProcess serveDatabase(Map<String, String> environment, String database, String... more) {
        return serveDatabaseThrough(List.of(), environment, database, more);
    }

    /// Starts `petstore serve` on a PostgreSQL database, on free ports, through a command that replaces itself with it.
    public static PetstoreProcess serveDatabaseThrough(List<String> starter, Map<String, String> environment,
            String database, String... more) {
        return serve(starter, environment, List.of("--database", database), more);
    }

    /// Turns the request log off by default, so that tests see the other lines.
    private static PetstoreProcess serve(List<String> starter, Map<String, String> environment, List<String> store,
            String... more) {
        List<String> arguments = new ArrayList<>(List.of("serve", "--port", "0", "--admin-port", "0"));
        arguments.addAll(store);
        arguments.addAll(List.of(more));
        Map<String, String> quiet = new HashMap<>(environment);
        quiet.putIfAbsent("PETSTORE_ACCESS_LOG", "false");
        return startThrough(starter, quiet, arguments.toArray(String[]::new));
    }

    /// Runs `petstore` and waits until it ends.
    public static Ending run(String... arguments) {
        return start(Map.of(), arguments).ending();
    }

    private void collect(BufferedReader reader, List<String> lines) {
        try (reader) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                synchronized (outputLock) {
                    lines.add(line);
                }
                if (ADMIN.matcher(line).matches()) {
                    ready.complete(null);
                }
            }
        } catch (IOException e) {
            lines.add(e.toString());
        }
    }

    /// Waits until the program reports that it accepts connections. Fails if it ends instead.
    public PetstoreProcess awaitReady() {
        if (!readyOrEnded()) {
            throw new AssertionError("not ready: " + ending());
        }
        return this;
    }

    /// Waits until the program accepts connections or ends. Returns true if it accepts connections.
    public boolean readyOrEnded() {
        CompletableFuture.anyOf(ready, process.onExit()).orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        return ready.isDone();
    }

    /// Waits until the program ends. Returns its exit code and output.
    public Ending ending() {
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("still running: " + out + err);
            }
            for (Thread reader : readers) {
                reader.join();
            }
            return new Ending(process.exitValue(), out(), err());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /// Runs `action` while nothing reads the output of the program.
    public void withStderrUnread(Runnable action) {
        synchronized (outputLock) {
            action.run();
        }
    }

    /// Returns the lines on stdout so far.
    public List<String> out() {
        return List.copyOf(out);
    }

    /// Returns the lines on stderr so far, without lines that contain [Shell#NEW_STORE] and without durations ([Shell#TOOK]).
    public List<String> err() {
        return err.stream().filter(line -> !line.contains(Shell.NEW_STORE))
                .map(line -> line.replaceFirst(Shell.TOOK, "$1")).toList();
    }

    /// Returns the lines on stderr so far, unchanged.
    public List<String> unfilteredErr() {
        return List.copyOf(err);
    }

    /// Returns the port of the API. The program must be ready.
    public int port() {
        return Integer.parseInt(printed(READY).orElseThrow());
    }

    /// Returns the port of the admin listener. The program must be ready.
    public int adminPort() {
        return Integer.parseInt(printed(ADMIN).orElseThrow());
    }

    /// Returns the first API key, which the program creates if the store has no key; absent if it has created none.
    public Optional<String> firstKey() {
        return printed(FIRST_KEY);
    }

    private Optional<String> printed(Pattern pattern) {
        return out.stream().map(pattern::matcher).filter(Matcher::matches).map(line -> line.group(1)).findFirst();
    }

    /// Returns a client of the API with this key.
    public ApiClient client(String key) {
        return new ApiClient(port(), key);
    }

    /// Returns the sum of a metric over all series with these labels, e.g. `listener="api"`.
    public double metric(String name, String... labels) {
        String metrics = new ApiClient(adminPort(), "").get("/metrics").body();
        return metrics.lines().filter(line -> line.startsWith(name + "{") && Stream.of(labels).allMatch(line::contains))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ')))).sum();
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /// Sends SIGTERM. Later output of the program is still read, unlike after `Process.destroy`.
    public void terminate() {
        process.toHandle().destroy();
    }

    /// Sends a signal, e.g. `INT`.
    public void signal(String name) {
        execute("kill", "-" + name, String.valueOf(pid()));
    }

    /// Limits the resources of the running program. The test is skipped if prlimit is not installed.
    ///
    /// @param option an option of prlimit, e.g. `--nofile=100`
    public void limit(String option) {
        assumeThat(Tools.isInstalled("prlimit")).as("prlimit is installed").isTrue();
        execute("prlimit", "--pid", String.valueOf(pid()), option);
    }

    private static void execute(String... command) {
        execute(List.of(), command);
    }

    /// Runs a command through another command that replaces itself with it. Waits until it ends, and fails unless it succeeds.
    ///
    /// @param starter the other command, e.g. `setpriv` and its options
    public static void execute(List<String> starter, String... command) {
        assertThat(succeeds(starter, command)).isTrue();
    }

    /// Runs a command through another command. Waits until it ends, and returns true if it succeeds.
    static boolean succeeds(List<String> starter, String... command) {
        try {
            return new ProcessBuilder(Stream.concat(starter.stream(), Stream.of(command)).toList())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start().waitFor() == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /// Sends SIGKILL.
    public void kill() {
        process.toHandle().destroyForcibly();
    }

    @Override
    public void close() {
        kill();
        ending();
    }
}
