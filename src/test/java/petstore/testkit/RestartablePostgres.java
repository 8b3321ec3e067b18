package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import static org.assertj.core.api.Assertions.assertThat;

/// A real PostgreSQL server for a single test, which can stop, freeze and restart it.
public final class RestartablePostgres implements AutoCloseable {

    private final Path data;
    private EmbeddedPostgres server;

    /// @param folder the folder for its files
    public RestartablePostgres(Path folder) {
        this.data = folder.resolve("postgresql");
        PostgresServer.makeFiles(data);
        this.server = startOn(FreePort.find());
    }

    private EmbeddedPostgres startOn(int port) {
        try {
            return PostgresServer.builder().setDataDirectory(data).setCleanDataDirectory(false).setPort(port).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns the URL of its database, as psql accepts it.
    public String database() {
        return "postgresql://postgres@localhost:" + server.getPort() + "/postgres";
    }

    /// Adds a user that must log in with this password.
    public void addUser(String name, String password) throws IOException, SQLException {
        Path rules = data.resolve("pg_hba.conf");
        Files.writeString(rules, "host all " + name + " all scram-sha-256\n" + Files.readString(rules));
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + name + " LOGIN PASSWORD '" + password + "'");
            statement.execute("SELECT pg_reload_conf()");
        }
    }

    /// Opens a connection as the superuser.
    public Connection connect() throws SQLException {
        return server.getPostgresDatabase().getConnection();
    }

    /// Stops the server: it closes its connections, and new connections are refused.
    public void stop() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Starts the server again on the same port.
    public void restart() {
        server = startOn(server.getPort());
    }

    /// Suspends all server processes: connections stay open, new connections are possible, but nothing gets a response.
    public void freeze() {
        // The postmaster comes first, because it starts the other processes.
        signal("STOP", List.of(postmaster()));
        signal("STOP", postmaster().children().toList());
    }

    /// Resumes all server processes.
    public void thaw() {
        signal("CONT", Stream.concat(postmaster().children(), Stream.of(postmaster())).toList());
    }

    private ProcessHandle postmaster() {
        try (Stream<String> lines = Files.lines(data.resolve("postmaster.pid"))) {
            return ProcessHandle.of(Long.parseLong(lines.findFirst().orElseThrow())).orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void signal(String name, List<ProcessHandle> processes) {
        List<String> command = new ArrayList<>(List.of("kill", "-" + name));
        processes.forEach(process -> command.add(String.valueOf(process.pid())));
        try {
            assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        stop();
    }
}
