package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// A real PgBouncer in front of a database of [PostgresServer].
public final class PgBouncer implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String USERS = """
            "postgres" "postgres"
            "admin" ""
            """;

    private final Path folder;
    private final String address;
    private final int port;
    private final Process process;
    private String database;
    private int poolSize = 50;
    private String ignoredParameters = "options";
    private String authentication = "trust";

    /// @param folder the folder for its configuration and log
    /// @param database the URL of the database
    /// @param poolMode `session`, `transaction` or `statement`
    public PgBouncer(Path folder, String database, String poolMode) throws IOException {
        this(folder, database, poolMode, "127.0.0.1");
    }

    /// @param address the address to listen on. The port is that of the database, or a free one if the address is 127.0.0.1.
    public PgBouncer(Path folder, String database, String poolMode, String address) throws IOException {
        this.folder = folder;
        this.database = database;
        this.address = address;
        this.port = address.equals("127.0.0.1") ? FreePort.find() : Integer.parseInt(databasePort());
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        configure(poolMode);
        List<String> command = new ArrayList<>(List.of(program().orElseThrow(), "-q"));
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(folder.resolve("pgbouncer.ini").toString());
        this.process = Programs.builder(command).redirectErrorStream(true)
                .redirectOutput(folder.resolve("pgbouncer.log").toFile()).start();
        await("PgBouncer").atMost(PATIENCE).until(this::listens);
    }

    /// Returns the path of the program; absent if it is not installed.
    public static Optional<String> program() {
        return Tools.daemon("pgbouncer");
    }

    private boolean listens() {
        try {
            new Socket(address, port).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// Sets `server_login_retry` to 1 s. The default is a pause of 15 s after a failed login, also if KILL interrupted the login.
    private void configure(String poolMode) throws IOException {
        String name = databaseName();
        Files.writeString(folder.resolve("pgbouncer.ini"),
                """
                        [databases]
                        %s = host=127.0.0.1 port=%s dbname=%s user=postgres password=postgres
                        [pgbouncer]
                        listen_addr = %s
                        listen_port = %d
                        auth_type = %s
                        auth_file = %s
                        admin_users = admin
                        pool_mode = %s
                        default_pool_size = %d
                        server_login_retry = 1
                        unix_socket_dir =
                        ignore_startup_parameters = %s
                        """.formatted(name, databasePort(), name, address, port, authentication,
                        Files.writeString(folder.resolve("users"), USERS), poolMode,
                        poolSize, ignoredParameters));
    }

    private String databasePort() {
        return database.substring(database.lastIndexOf(':') + 1, database.lastIndexOf('/'));
    }

    private String databaseName() {
        return database.substring(database.lastIndexOf('/') + 1);
    }

    /// Returns the URL of the database through this PgBouncer.
    public String url() {
        return "postgresql://postgres@" + address + ":" + port + "/" + databaseName();
    }

    /// Changes the pool mode, also for open sessions.
    public void reload(String poolMode) {
        try {
            configure(poolMode);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        administer("RELOAD");
    }

    /// Refuses new connections with the parameter `options`, as by default.
    public void refuseOptions() {
        ignoredParameters = "extra_float_digits";
        reload("session");
    }

    /// Leads to another database, for new server connections.
    public void moveTo(String other) {
        database = other;
        reload("session");
    }

    /// Sets the number of server connections.
    public void setPoolSize(int size) {
        poolSize = size;
        reload("session");
    }

    /// Sets how clients log in, e.g. `md5`.
    public void setAuthentication(String type) {
        authentication = type;
        reload("session");
    }

    /// Changes the pool mode and ends every session.
    public void reloadAndKill(String poolMode) {
        reload(poolMode);
        administer("KILL " + databaseName());
        administer("RESUME " + databaseName());
    }

    private void administer(String command) {
        try {
            Process psql = Programs.builder(List.of("psql", "-X", "-q", "-h", "127.0.0.1", "-p", String.valueOf(port),
                    "-U", "admin", "-d", "pgbouncer", "-c", command)).inheritIO().start();
            assertThat(psql.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(psql.exitValue()).as(command).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
