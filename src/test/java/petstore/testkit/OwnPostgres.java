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

/// A real PostgreSQL of a single test, which stops, freezes and restarts.
public final class OwnPostgres implements AutoCloseable {

    private final Path data;
    private EmbeddedPostgres server;

    /// @param folder where its files are
    public OwnPostgres(Path folder) {
        this.data = folder.resolve("postgresql");
        this.server = run(0);
    }

    /// @param port the port it listens on, 0 for a free one
    private EmbeddedPostgres run(int port) {
        try {
            return PostgresServer.builder().setDataDirectory(data).setCleanDataDirectory(false).setPort(port).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns the address of its database, as psql takes it.
    public String database() {
        return "postgresql://postgres@localhost:" + server.getPort() + "/postgres";
    }

    /// Makes a user who has to know the password.
    public void addUser(String name, String password) throws IOException, SQLException {
        Path rules = data.resolve("pg_hba.conf");
        Files.writeString(rules, "host all " + name + " all scram-sha-256\n" + Files.readString(rules));
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + name + " LOGIN PASSWORD '" + password + "'");
            statement.execute("SELECT pg_reload_conf()");
        }
    }

    /// Stops it: connections are closed, and new ones refused.
    public void stop() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Starts it again where it was.
    public void restart() {
        server = run(server.getPort());
    }

    /// Makes all of its processes stand still: connections stay open, new ones can be made, and nothing is answered.
    public void freeze() {
        // First the one that starts the others.
        signal("STOP", List.of(postmaster()));
        signal("STOP", postmaster().children().toList());
    }

    /// Resumes its processes.
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
