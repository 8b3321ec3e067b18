package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import static org.awaitility.Awaitility.await;

/// A real PostgreSQL whose settings are those of its files alone, so that ALTER SYSTEM changes them while it runs.
public final class PlainPostgres implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Path data;
    private final String program;
    private final int port;
    private Process process;

    /// Makes a new one.
    ///
    /// @param data the folder for its files
    public PlainPostgres(Path data) throws IOException {
        this(data, make(data));
    }

    private PlainPostgres(Path data, String program) throws IOException {
        this.data = data;
        this.program = program;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            this.port = free.getLocalPort();
        }
        start();
    }

    /// Makes the files, and returns the server's program.
    private static String make(Path data) throws IOException {
        try (EmbeddedPostgres _ = PostgresServer.builder().setDataDirectory(data).setCleanDataDirectory(false).start();
                Stream<String> lines = Files.lines(data.resolve("postmaster.pid"))) {
            return ProcessHandle.of(Long.parseLong(lines.findFirst().orElseThrow())).orElseThrow().info().command()
                    .orElseThrow();
        }
    }

    /// Starts the server and waits until it accepts connections.
    public void start() {
        List<String> command = new ArrayList<>();
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(
                List.of(program, "-D", data.toString(), "-p", String.valueOf(port), "-k", "", "-h", "127.0.0.1"));
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(
                            ProcessBuilder.Redirect.appendTo(data.resolveSibling(data.getFileName() + ".log").toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        await("PostgreSQL").atMost(PATIENCE).ignoreExceptions().until(() -> !query("SELECT 1").isEmpty());
    }

    /// Stops it at once, as a machine that dies.
    public void kill() {
        List<ProcessHandle> all = process.descendants().toList();
        process.destroyForcibly();
        all.forEach(ProcessHandle::destroyForcibly);
        process.onExit().join();
        all.forEach(one -> one.onExit().join());
    }

    /// Stops it in order, in which clients are disconnected.
    private void stop() {
        // SIGTERM would wait for the clients.
        try {
            new ProcessBuilder("kill", "-INT", String.valueOf(process.pid())).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.onExit().join();
    }

    /// Returns a running standby with a copy of the data, which follows no server until it is promoted.
    ///
    /// @param other the folder for its files
    public PlainPostgres standby(Path other) throws IOException {
        stop();
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.toList()) {
                Files.copy(file, other.resolve(data.relativize(file).toString()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        Files.createFile(other.resolve("standby.signal"));
        start();
        return new PlainPostgres(other, program);
    }

    /// Makes a standby the primary of the next timeline.
    public void promote() {
        query("SELECT pg_promote()");
    }

    /// Changes a setting of the running server, e.g. `SET fsync = off` or `RESET fsync`.
    public void alterSystem(String change) {
        query("ALTER SYSTEM " + change);
        query("SELECT pg_reload_conf()");
    }

    /// Returns the host and the port.
    public String host() {
        return "127.0.0.1:" + port;
    }

    /// Returns the address of its database.
    public String url() {
        return "postgresql://postgres@" + host() + "/postgres";
    }

    /// Runs a statement and returns the first column of its rows, if it has any.
    public List<String> query(String sql) {
        try (Connection connection = DriverManager.getConnection("jdbc:postgresql://" + host() + "/postgres",
                "postgres",
                ""); Statement statement = connection.createStatement()) {
            List<String> rows = new ArrayList<>();
            if (statement.execute(sql)) {
                ResultSet result = statement.getResultSet();
                while (result.next()) {
                    rows.add(result.getString(1));
                }
            }
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Returns how many connections the program has here.
    public int connections() {
        return Integer.parseInt(
                query("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'petstore'").getFirst());
    }

    @Override
    public void close() {
        kill();
    }
}
