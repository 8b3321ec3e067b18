package petstore.store.postgres;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.CommandFailure;
import petstore.NewPet;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.testkit.PgBouncer;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/// Settings that an operator has given to a role or a database. The service overrules those on which it relies.
@Timeout(120)
class PostgresSettingsTest {

    private static final NewPet REX = new NewPet("Rex", 7, Optional.empty());
    /// Every setting on which the service relies, with a value that would break it, and the value that sessions have.
    private static final String SETTINGS = """
            client_min_messages                 | error           | warning
            lock_timeout                        | 10ms            | 0
            transaction_timeout                 | 900ms           | 0
            idle_session_timeout                | 900ms           | 0
            statement_timeout                   | 900ms           | 10min
            idle_in_transaction_session_timeout | 900ms           | 1h
            row_security                        | on              | off
            enable_seqscan                      | on              | off
            jit                                 | on              | off
            transform_null_equals               | on              | off
            default_transaction_isolation       | serializable    | read committed
            default_transaction_deferrable      | on              | off
            standard_conforming_strings         | off             | on
            client_encoding                     | LATIN1          | UTF8
            DateStyle                           | German          | ISO, MDY
            extra_float_digits                  | -15             | 3
            array_nulls                         | off             | on
            synchronous_commit                  | off             | on
            """;

    private final String url = PostgresServer.newDatabase();
    private final String role = "clerk_of_" + name();
    private final String clerkUrl = url.replace("postgres@", role + "@");
    @TempDir
    private Path folder;

    private String name() {
        return url.substring(url.lastIndexOf('/') + 1);
    }

    private void createRole() {
        PostgresServer.execute("CREATE ROLE " + role + " LOGIN");
        PostgresServer.execute("ALTER DATABASE " + name() + " OWNER TO " + role);
    }

    @AfterEach
    void dropRole() {
        if (!PostgresServer.query(url, "SELECT 1 FROM pg_roles WHERE rolname = '" + role + "'").isEmpty()) {
            PostgresServer.query(url, "REASSIGN OWNED BY " + role + " TO postgres");
            PostgresServer.query(url, "DROP OWNED BY " + role);
            PostgresServer.execute("DROP ROLE " + role);
        }
    }

    /// PgBouncer passes few settings on, and opens connections with settings of its own.
    @ParameterizedTest
    @CsvSource({"ROLE, false", "DATABASE, false", "DATABASE, true"})
    void overrulesSettings(String of, boolean pooled) throws SQLException, IOException {
        assumeTrue(!pooled || PgBouncer.program().isPresent(), "left out: pgbouncer is not installed");
        createRole();
        Map<String, String> wanted = new TreeMap<>();
        SETTINGS.lines().map(line -> line.split("\\s*\\|\\s*", -1)).forEach(row -> {
            PostgresServer.execute("ALTER " + of + " " + (of.equals("ROLE") ? role : name()) + " SET " + row[0] + " = '"
                    + row[1] + "'");
            wanted.put(row[0], row[2]);
        });
        if (!pooled) {
            assertThat(settings(clerkUrl, wanted.keySet())).isEqualTo(wanted);
            return;
        }
        try (PgBouncer pooler = new PgBouncer(folder, url, "session")) {
            assertThat(settings(pooler.url(), wanted.keySet())).isEqualTo(wanted);
            assertThat(settings(pooler.url(), wanted.keySet())).as("on the same server connection").isEqualTo(wanted);
        }
    }

    /// Returns the settings of a session of a command.
    private static Map<String, String> settings(String url, Set<String> names) throws SQLException {
        try (PostgresSession session = PostgresConnector.open(
                PostgresUri.parse(url).hosts().getFirst(), PostgresConnector.Timeouts.COMMAND)) {
            Map<String, String> settings = new TreeMap<>();
            for (String name : names) {
                settings.put(name, session.text("SHOW " + name));
            }
            return settings;
        }
    }

    /// The database has a function that takes the place of PostgreSQL's.
    @Test
    void namesSettingThatDatabaseIgnores() {
        createRole();
        PostgresServer.query(url,
                "CREATE FUNCTION set_config(name TEXT, value TEXT, local BOOLEAN) RETURNS TEXT LANGUAGE sql"
                        + " AS $$ SELECT CASE WHEN name <> 'lock_timeout' THEN pg_catalog.set_config(name, value, local) END $$");
        PostgresServer.execute("ALTER ROLE " + role + " SET search_path = public, pg_catalog");
        PostgresServer.execute("ALTER ROLE " + role + " SET lock_timeout = '10s'");
        assertThatThrownBy(() -> serve(clerkUrl)).isInstanceOf(CommandFailure.class)
                .hasMessageContaining("the database ignores lock_timeout = 500ms: it stays 10s");
    }

    /// A pooler may have sent the statements of a transaction elsewhere.
    @Test
    void commitWithoutTransactionHasUnknownOutcome() throws SQLException {
        try (PostgresSession session = PostgresConnector.open(
                PostgresUri.parse(url).hosts().getFirst(), PostgresConnector.Timeouts.COMMAND);
                Statement commit = session.createStatement()) {
            commit.execute("COMMIT");
            assertThatThrownBy(() -> PostgresSession.requireKnownOutcome(commit.getWarnings()))
                    .isInstanceOf(SQLException.class).hasMessageContaining("unknown");
        }
    }

    /// The driver adds the end of the connection to the error of the server, which may be of any class: a full disk of its log, for example.
    @Test
    void commitThatEndsConnectionHasUnknownOutcome() throws SQLException {
        try (PostgresSession session = PostgresConnector.open(
                PostgresUri.parse(url).hosts().getFirst(), PostgresConnector.Timeouts.COMMAND)) {
            session.execute("CREATE TEMP TABLE ending (id INT)");
            session.execute("CREATE FUNCTION pg_temp.finish() RETURNS TRIGGER LANGUAGE plpgsql"
                    + " AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'");
            session.execute("CREATE CONSTRAINT TRIGGER ending AFTER INSERT ON ending DEFERRABLE INITIALLY DEFERRED"
                    + " FOR EACH ROW EXECUTE FUNCTION pg_temp.finish()");
            session.execute("BEGIN");
            session.execute("INSERT INTO ending VALUES (1)");
            assertThatThrownBy(() -> session.execute("COMMIT")).isInstanceOfSatisfying(SQLException.class,
                    ended -> assertThat(Objects.requireNonNull(ended.getNextException()).getSQLState())
                            .isEqualTo("08006"));
        }
        SQLException full = new SQLException("the disk is full", "53100");
        assertThatThrownBy(() -> PostgresSession.commit(() -> {
            throw full;
        })).isSameAs(full);
        full.setNextException(new SQLException("the connection has ended", "08006"));
        assertThatThrownBy(() -> PostgresSession.commit(() -> {
            throw full;
        })).isInstanceOf(PostgresSession.UnknownOutcomeException.class);
    }

    @Test
    void refusesRowSecurityThatHidesAnimals() {
        createRole();
        open(url, store -> store.catalogue().addAll(List.of(REX)));
        PostgresServer.query(url, "GRANT ALL ON ALL TABLES IN SCHEMA public TO " + role);
        PostgresServer.query(url, "ALTER TABLE pet ENABLE ROW LEVEL SECURITY");
        open(clerkUrl, store -> {
            for (Runnable use : List.<Runnable>of(() -> store.catalogue().forEachGroup(_ -> {
            }), () -> store.catalogue().count(), () -> store.catalogue().addAll(List.of(REX)))) {
                assertThatThrownBy(use::run).isInstanceOf(CommandFailure.class)
                        .hasMessageContaining("row-level security")
                        .hasMessageContaining("BYPASSRLS").hasMessageNotContaining("must own");
            }
        });
        PostgresServer.execute("ALTER ROLE " + role + " BYPASSRLS");
        open(clerkUrl, store -> assertThat(store.catalogue().count()).isEqualTo(1));
    }

    @Test
    void refusesReplicationRoleWithoutTriggers() {
        open(url, _ -> {
        });
        PostgresServer.execute("ALTER DATABASE " + name() + " SET session_replication_role = replica");
        for (Runnable start : List.<Runnable>of(() -> serve(url), () -> open(url, _ -> {
        }))) {
            assertThatThrownBy(start::run).isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("session_replication_role = replica");
        }
        PostgresServer.execute("ALTER DATABASE " + name() + " RESET session_replication_role");
        assertThatCode(() -> serve(url).close()).doesNotThrowAnyException();
    }

    private static void open(String url, Consumer<SqlStore> use) {
        try (SqlStore store = SqlStore
                .of(Postgres.forCommand(PostgresUri.parse(url), SchemaPolicy.AUTO, StoreAccess.CREATE))) {
            use.accept(store);
        }
    }

    private static SqlStore serve(String url) {
        return new SqlStore(Postgres.forService(PostgresUri.parse(url), SchemaPolicy.AUTO, 4, Duration.ofSeconds(5),
                new AtomicBoolean()), new SimpleMeterRegistry());
    }
}
