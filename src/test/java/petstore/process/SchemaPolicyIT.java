package petstore.process;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import petstore.testkit.ApiClient;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The option `--migrate` of `petstore serve` on a PostgreSQL database.
class SchemaPolicyIT {

    private static final String KEY = "a-key-for-the-test-of-migrations";
    private static final String TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'";
    private static final String VERSIONS = "SELECT version FROM schema_version ORDER BY version";
    private static final String BLOCKED_CONNECTIONS = "SELECT pid FROM pg_stat_activity"
            + " WHERE datname = current_database() AND wait_event_type = 'Lock'";
    private static final String WAITS = "another session upgrades the schema";
    private static final List<String> LATEST = List.of("1", "2", "3", "4", "5", "6", "7");

    @Test
    void migratesOnceIfReplicasStartTogether() throws SQLException {
        String database = PostgresServer.newDatabase();
        List<PetstoreProcess> replicas = Stream.generate(() -> serve(database, "auto")).limit(3).toList();
        try {
            try (Connection connection = PostgresServer.connect(database);
                    Statement statement = connection.createStatement()) {
                // In turns, a replica waits for the lock on this table, and the others for that replica.
                connection.setAutoCommit(false);
                statement.execute("CREATE TABLE schema_version (version INTEGER)");
                awaitBlocked(database, 1);
                await("all replicas").atMost(Duration.ofSeconds(30))
                        .until(() -> replicas.stream().noneMatch(replica -> replica.err().isEmpty()));
                connection.rollback();
            }
            for (PetstoreProcess replica : replicas) {
                ApiClient client = replica.awaitReady().client(KEY);
                assertThat(client.post("{\"name\":\"Whiskers\",\"categoryId\":7}").statusCode()).isEqualTo(201);
                assertThat(client.get("/readyz").statusCode()).isEqualTo(200);
                // The first replica may make the tables while another one looks.
                assertThat(replica.err()).allMatch(line -> line.contains(WAITS) || line.contains("lock timeout")
                        || line.contains("other tables now")
                        || line.contains("the database can be used after "));
            }
            assertThat(firstColumn(database, VERSIONS)).isEqualTo(LATEST);
        } finally {
            replicas.forEach(PetstoreProcess::close);
        }
    }

    @Test
    void checkRefusesEmptyDatabaseAndLeavesItEmpty() {
        String database = PostgresServer.newDatabase();
        assertRefuses(database, "check", "petstore: the store has schema version 0, this petstore needs version 7; "
                + "'serve --migrate auto' brings it up to date");
        assertThat(firstColumn(database, TABLES)).isEmpty();
    }

    @Test
    void refusesNewerSchema() {
        String database = PostgresServer.newDatabase();
        try (PetstoreProcess first = serve(database, "auto").awaitReady()) {
            assertThat(firstColumn(database, VERSIONS)).isEqualTo(LATEST);
            assertThat(first.client(KEY).get("/readyz").statusCode()).isEqualTo(200);
        }
        execute(database, "INSERT INTO schema_version (version) VALUES (8)");
        List<String> tables = firstColumn(database, TABLES);
        for (String migrate : List.of("auto", "check")) {
            assertRefuses(database, migrate, "petstore: the store has schema version 8, made by a newer petstore; "
                    + "this one knows versions up to 7");
        }
        assertThat(firstColumn(database, TABLES)).isEqualTo(tables);
        assertThat(firstColumn(database, VERSIONS)).containsExactly("1", "2", "3", "4", "5", "6", "7", "8");
    }

    @Test
    void refusesDatabaseWithLatin1Encoding() {
        String database = PostgresServer.newDatabase("TEMPLATE template0 ENCODING LATIN1 LOCALE 'C'");
        for (String migrate : List.of("auto", "check")) {
            assertRefuses(database, migrate, "petstore: the database " + database
                    + " cannot keep every name: its encoding is LATIN1; make one with createdb --encoding=UTF8"
                    + " --template=template0");
        }
        assertThat(firstColumn(database, TABLES)).isEmpty();
    }

    private static PetstoreProcess serve(String database, String migrate) {
        return PetstoreProcess.serveDatabase(Map.of("PETSTORE_API_KEY", KEY), database, "--migrate", migrate);
    }

    /// Asserts that the program ends at once and prints only this line.
    private static void assertRefuses(String database, String migrate, String line) {
        try (PetstoreProcess server = serve(database, migrate)) {
            assertThat(server.ending()).isEqualTo(new Ending(1, List.of(), List.of(line)));
        }
    }

    private static void awaitBlocked(String database, int connections) {
        await("connections that wait for a lock").atMost(Duration.ofSeconds(30))
                .until(() -> firstColumn(database, BLOCKED_CONNECTIONS).size() >= connections);
    }

    private static void execute(String database, String sql) {
        try (Connection connection = PostgresServer.connect(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /// Returns the first column of a query's result.
    private static List<String> firstColumn(String database, String sql) {
        try (Connection connection = PostgresServer.connect(database);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (row.next()) {
                values.add(row.getString(1));
            }
            return values;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
