package petstore.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/// A real PostgreSQL that these tests start, once for all tests of a process.
public final class PostgresServer {

    private static final AtomicInteger DATABASES = new AtomicInteger();

    /// Starts the server when it is needed first.
    private static final class Running {
        private static final EmbeddedPostgres SERVER = start();

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.builder().setServerConfig("synchronous_commit", "on")
                        .setServerConfig("fsync", "on").setServerConfig("full_page_writes", "on").start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private PostgresServer() {
    }

    /// Makes an empty database and gives back its address, as psql is told it.
    public static String newDatabase() {
        String name = "petstore" + DATABASES.incrementAndGet();
        execute("CREATE DATABASE " + name);
        return "postgresql://postgres:postgres@localhost:" + Running.SERVER.getPort() + "/" + name;
    }

    /// Runs a statement in a database of [#newDatabase] and gives back the first column of its rows, if it has any.
    public static List<String> query(String url, String sql) {
        try (Connection connection = Running.SERVER.getDatabase("postgres", url.replaceAll(".*/", "")).getConnection();
                Statement statement = connection.createStatement()) {
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

    /// Runs a statement on the server, in no database of [#newDatabase].
    static void execute(String sql) {
        try (Connection connection = Running.SERVER.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
