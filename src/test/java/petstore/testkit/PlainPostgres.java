package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// A real PostgreSQL server without settings on its command line, so that ALTER SYSTEM can change them while it runs.
public final class PlainPostgres implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Path data;
    private final Map<String, String> environment;
    private final int port;
    private Process process;

    /// Starts a server.
    ///
    /// @param data the folder of its files, which are made if it does not exist
    public PlainPostgres(Path data) {
        this(data, Map.of());
    }

    private PlainPostgres(Path data, Map<String, String> environment) {
        this.environment = environment;
        if (!Files.exists(data)) {
            PostgresServer.makeFiles(data);
        }
        this.data = data;
        this.port = FreePort.find();
        start();
    }

    /// Starts a server whose disk hangs as long as a file exists; absent without a C compiler.
    public static Optional<PlainPostgres> onDiskThatHangs(Path data, Path file) throws IOException {
        Optional<Path> library = Tools.library(Path.of("deploy/cluster/stall.c"));
        return library.isEmpty()
                ? Optional.empty()
                : Optional.of(new PlainPostgres(data,
                        Map.of("LD_PRELOAD", library.get().toString(), "STALL_FILE", file.toString())));
    }

    /// Starts a server of another cluster than those of the constructor, which have the same system identifier.
    public static PlainPostgres ofOtherCluster(Path data) throws IOException {
        Process made = Programs.builder(command(Path.of(PostgresServer.program()).resolveSibling("initdb").toString(),
                "-D", data.toString(), "-U", "postgres", "-A", "trust", "-E", "UTF8")).inheritIO().start();
        assertThat(made.onExit().join().exitValue()).isZero();
        return new PlainPostgres(data);
    }

    /// Returns a command as PostgreSQL's programs accept it: not as root.
    private static List<String> command(String... words) {
        List<String> command = new ArrayList<>(List.of(words));
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(0, List.of("unshare", "-U"));
        }
        return command;
    }

    /// Starts the server and waits until it accepts connections.
    public void start() {
        List<String> command = command(PostgresServer.program(), "-D", data.toString(), "-p", String.valueOf(port),
                "-k", "", "-h", "127.0.0.1");
        try {
            ProcessBuilder builder = Programs.builder(command).redirectErrorStream(true).redirectOutput(
                    ProcessBuilder.Redirect.appendTo(data.resolveSibling(data.getFileName() + ".log").toFile()));
            builder.environment().putAll(environment);
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        await("PostgreSQL").atMost(PATIENCE).ignoreExceptions().until(() -> !query("SELECT 1").isEmpty());
    }

    /// Kills all server processes at once, as a crash of their host does.
    public void kill() {
        List<ProcessHandle> descendants = process.descendants().toList();
        process.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
        process.onExit().join();
        descendants.forEach(descendant -> descendant.onExit().join());
    }

    /// Stops the server by a fast shutdown, which disconnects its clients.
    public void stop() {
        // With SIGTERM the server would wait until the clients disconnect.
        signal("INT", Stream.of(process.toHandle()));
        process.onExit().join();
    }

    /// Suspends all server processes: connections stay open, new connections are possible, but nothing gets a response.
    public void freeze() {
        // The postmaster comes first, because it starts the other processes.
        signal("STOP", Stream.of(process.toHandle()));
        signal("STOP", process.children());
    }

    /// Resumes all server processes.
    public void thaw() {
        signal("CONT", Stream.concat(process.children(), Stream.of(process.toHandle())));
    }

    private static void signal(String name, Stream<ProcessHandle> processes) {
        PetstoreProcess.execute(List.of("kill", "-" + name),
                processes.map(handle -> String.valueOf(handle.pid())).toArray(String[]::new));
    }

    /// Adds a user that must log in with this password.
    public void addUser(String name, String password) throws IOException {
        Path rules = data.resolve("pg_hba.conf");
        Files.writeString(rules, "host all " + name + " all scram-sha-256\n" + Files.readString(rules));
        query("CREATE ROLE " + name + " LOGIN PASSWORD '" + password + "'");
        query("SELECT pg_reload_conf()");
    }

    /// Starts a standby with a copy of the data, and returns it. It replicates from no server; it only waits for its promotion.
    ///
    /// @param standbyData the folder for its files
    public PlainPostgres standby(Path standbyData) throws IOException {
        stop();
        PostgresServer.copyFiles(data, standbyData);
        Files.createFile(standbyData.resolve("standby.signal"));
        start();
        return new PlainPostgres(standbyData);
    }

    /// Promotes a standby: it becomes a primary on the next timeline.
    public void promote() {
        query("SELECT pg_promote()");
    }

    /// Changes a setting of the running server, e.g. `SET fsync = off` or `RESET fsync`.
    public void alterSystem(String change) {
        query("ALTER SYSTEM " + change);
        query("SELECT pg_reload_conf()");
    }

    public int port() {
        return port;
    }

    /// Returns the host and the port.
    public String host() {
        return "127.0.0.1:" + port;
    }

    /// Returns the URL of its database.
    public String url() {
        return "postgresql://postgres@" + host() + "/postgres";
    }

    /// Runs a statement. Returns the first column of its rows; empty if there are no rows.
    public List<String> query(String sql) {
        try (Connection connection = connect()) {
            return PostgresServer.query(connection, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Opens a connection, to be used without the code of the program.
    public Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://" + host() + "/postgres", "postgres", "");
    }

    /// Returns the number of connections that the program has to this server.
    public int connections() {
        return Integer.parseInt(
                query("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'petstore'").getFirst());
    }

    @Override
    public void close() {
        kill();
    }
}
