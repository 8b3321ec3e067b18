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

/// The program as people start it, `./petstore`, in a process of its own.
///
/// ```java
/// try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady()) {
///     new ApiClient(server.port(), server.firstKey().orElseThrow()).get("/v1/pets");
/// }
/// ```
public final class PetstoreProcess implements AutoCloseable {

    /// The end of a process: its exit code and its output.
    ///
    /// @param code its exit code; 128 and the number of the signal that killed it
    /// @param out the lines it wrote on stdout
    /// @param err the lines it wrote on stderr
    public record Ending(int code, List<String> out, List<String> err) {
    }

    /// The program that Maven has built.
    public static final Path LAUNCHER = Path.of("target/petstore").toAbsolutePath();
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern READY = Pattern.compile("Petstore is ready: https?://127\\.0\\.0\\.1:([0-9]+)/v1");
    private static final Pattern ADMIN = Pattern.compile("Admin: http://127\\.0\\.0\\.1:([0-9]+)");
    private static final Pattern FIRST_KEY = Pattern.compile("First API key, shown only once: (pets_.*)");

    private final Process process;
    private final Object hearing = new Object();
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

    /// Starts `petstore` with these arguments, in an environment without any other setting.
    public static PetstoreProcess start(Map<String, String> environment, String... arguments) {
        return startBy(List.of(), environment, arguments);
    }

    private static PetstoreProcess startBy(List<String> starter, Map<String, String> environment,
            String... arguments) {
        List<String> command = new ArrayList<>(starter);
        command.add(LAUNCHER.toString());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("PETSTORE_"));
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

    /// Starts `petstore serve` on the store in `folder`, on free ports.
    public static PetstoreProcess serve(Map<String, String> environment, Path folder, String... more) {
        return serve(List.of(), environment, List.of("--data", folder.toString()), more);
    }

    /// Starts `petstore serve` by a program that becomes it, e.g. `prlimit --nofile=100`, on the store in `folder`, on free ports.
    public static PetstoreProcess serveBy(List<String> starter, Path folder, String... more) {
        return serve(starter, Map.of(), List.of("--data", folder.toString()), more);
    }

    /// Starts `petstore serve` on a PostgreSQL database, on free ports.
    ///
    /// @param database its address, as psql takes it
    public static PetstoreProcess serveDatabase(Map<String, String> environment, String database, String... more) {
        return serve(List.of(), environment, List.of("--database", database), more);
    }

    /// Without a line for every request, so that tests see the other lines.
    private static PetstoreProcess serve(List<String> starter, Map<String, String> environment, List<String> store,
            String... more) {
        List<String> arguments = new ArrayList<>(List.of("serve", "--port", "0", "--admin-port", "0"));
        arguments.addAll(store);
        arguments.addAll(List.of(more));
        Map<String, String> quiet = new HashMap<>(environment);
        quiet.putIfAbsent("PETSTORE_ACCESS_LOG", "false");
        return startBy(starter, quiet, arguments.toArray(String[]::new));
    }

    /// Runs `petstore` to its end.
    public static Ending run(String... arguments) {
        return start(Map.of(), arguments).ending();
    }

    private void collect(BufferedReader reader, List<String> lines) {
        try (reader) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                synchronized (hearing) {
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

    /// Waits until the program says that it accepts connections. Fails when it ends instead.
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

    /// Waits until the program has ended.
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

    /// Runs `meanwhile` while the output of the program is not read.
    public void unheard(Runnable meanwhile) {
        synchronized (hearing) {
            meanwhile.run();
        }
    }

    /// The lines on stdout so far.
    public List<String> out() {
        return List.copyOf(out);
    }

    /// The lines on stderr so far, without [Shell#NEW_STORE] and [Shell#TOOK].
    public List<String> err() {
        return err.stream().filter(line -> !line.contains(Shell.NEW_STORE))
                .map(line -> line.replaceFirst(Shell.TOOK, "$1")).toList();
    }

    /// The lines on stderr so far.
    public List<String> wholeErr() {
        return List.copyOf(err);
    }

    /// The port of the API, once it is ready.
    public int port() {
        return Integer.parseInt(said(READY).orElseThrow());
    }

    /// The port of the admin listener, once it is ready.
    public int adminPort() {
        return Integer.parseInt(said(ADMIN).orElseThrow());
    }

    /// The key that the program made because the store had none.
    public Optional<String> firstKey() {
        return said(FIRST_KEY);
    }

    private Optional<String> said(Pattern pattern) {
        return out.stream().map(pattern::matcher).filter(Matcher::matches).map(line -> line.group(1)).findFirst();
    }

    /// A client of the API with this key.
    public ApiClient client(String key) {
        return new ApiClient(port(), key);
    }

    /// The sum of the series of a metric that have these labels, e.g. `listener="api"`.
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

    /// Asks the program to end, by SIGTERM. What it says from now on is heard too, unlike after `Process.destroy`.
    public void terminate() {
        process.toHandle().destroy();
    }

    /// Sends the program a signal, e.g. `INT`.
    public void signal(String name) {
        execute("kill", "-" + name, String.valueOf(pid()));
    }

    /// Limits the resources of the running program by an option of prlimit, e.g. `--nofile=100`. Without prlimit the test is left
    /// out.
    public void limit(String most) {
        assumeThat(Tools.have("prlimit")).as("there is prlimit").isTrue();
        execute("prlimit", "--pid", String.valueOf(pid()), most);
    }

    /// Runs a command to its end by a program that becomes it, e.g. `setpriv`.
    public static void execute(List<String> starter, String... command) {
        execute(Stream.concat(starter.stream(), Stream.of(command)).toArray(String[]::new));
    }

    private static void execute(String... command) {
        try {
            assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /// Ends the program where it stands, by SIGKILL.
    public void kill() {
        process.toHandle().destroyForcibly();
    }

    @Override
    public void close() {
        kill();
        ending();
    }
}
