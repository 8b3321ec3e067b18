import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The temporary folder and its processes. Both end with this program.
final class Lab {

    private static final int STOPPING_SECONDS = 60;
    private static final int MOMENT_MS = 500;

    /// The checkout.
    final Path home = Path.of(System.getProperty("bench.home"));
    final Path folder;
    /// The API key of the clients, for the service's `PETSTORE_API_KEY`.
    final String key = randomText();

    private final Deque<Runnable> atEnd = new ArrayDeque<>();
    private final Deque<Process> processes = new ArrayDeque<>();
    private boolean ending;
    private boolean separate;
    private int names;

    Lab() throws IOException {
        Path base = Path.of(System.getenv().getOrDefault("TMPDIR", "/var/tmp"));
        // PostgreSQL may run as another user.
        folder = Files.setPosixFilePermissions(Files.createTempDirectory(base, "petstore-bench-"),
                PosixFilePermissions.fromString("rwxr-xr-x"));
        Runtime.getRuntime().addShutdownHook(new Thread(this::end));
    }

    static String randomText() {
        byte[] bytes = new byte[16];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /// Returns an unused path in the folder.
    synchronized Path newPath(String name) {
        return folder.resolve(name + "-" + ++names);
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /// Registers an action that runs before the folder is deleted, the latest first.
    synchronized void atEnd(Runnable action) {
        atEnd.push(action);
    }

    /// If true, servers that start from now on have the first processor alone, and the load generator the second. Else all have both.
    void separate(boolean wanted) throws IOException, InterruptedException {
        separate = wanted;
        run(List.of("taskset", "-acp", wanted ? "1" : "0,1", String.valueOf(ProcessHandle.current().pid())), Map.of());
    }

    /// Starts a server. Appends its output to the file `log`.
    Process startServer(List<String> command, Map<String, String> environment, Path log) throws IOException {
        List<String> first = separate ? List.of("taskset", "-c", "0") : List.of();
        return start(Stream.concat(first.stream(), command.stream()).toList(), environment, log);
    }

    /// Starts a program. Appends its output to the file `log`.
    private synchronized Process start(List<String> command, Map<String, String> environment, Path log) throws IOException {
        if (ending) {
            throw new IOException("the benchmark is ending");
        }
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        // Measured services have default settings.
        builder.environment().keySet().removeIf(name -> name.startsWith("PETSTORE_"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    /// Runs a program and returns its output. Errors: [IOException] if its exit code is not 0.
    String run(List<String> command, Map<String, String> environment) throws IOException, InterruptedException {
        Path log = newPath("log");
        Process process = start(command, environment, log);
        int code = process.waitFor();
        ended(process);
        String output = Files.readString(log);
        Files.delete(log);
        if (code != 0) {
            throw new IOException(Path.of(command.getFirst()).getFileName() + " ended with exit code " + code + ": " + output);
        }
        return output;
    }

    void stop(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(STOPPING_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        ended(process);
    }

    private synchronized void ended(Process process) {
        processes.remove(process);
    }

    /// Returns true if this program is ending. Waits a moment, because Ctrl-C may end the measured processes first.
    synchronized boolean isEnding() {
        if (!ending) {
            try {
                wait(MOMENT_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return ending;
    }

    private synchronized void end() {
        ending = true;
        processes.forEach(Process::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
        processes.clear();
        atEnd.forEach(Runnable::run);
        deleteNow(folder);
    }

    /// Deletes a tree in the folder, unless the whole folder is being deleted.
    synchronized void delete(Path tree) {
        if (!ending) {
            deleteNow(tree);
        }
    }

    private static void deleteNow(Path tree) {
        try (Stream<Path> paths = Files.walk(tree)) {
            paths.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        } catch (IOException e) {
            System.err.println("bench/run: " + tree + " could not be deleted: " + e.getMessage());
        }
    }
}
