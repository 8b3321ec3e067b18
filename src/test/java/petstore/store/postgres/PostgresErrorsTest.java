package petstore.store.postgres;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.ApiKey;
import petstore.IdempotencyKey;
import petstore.KeyToken;
import petstore.NewPet;
import petstore.Scope;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.sqlite.Sqlite;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.LogLines;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/// Messages of errors: they have the cause, the place and advice, but no value of a row.
class PostgresErrorsTest {

    private static final String SECRET = "VERYSECRET";
    private static final NewPet PET = new NewPet(SECRET, 7, Optional.empty());
    private static final IdempotencyKey REQUEST = new IdempotencyKey(
            new IdempotencyKey.Name(SECRET, "createPet", SECRET), SECRET, Duration.ofDays(1));
    private static final ApiKey KEY = ApiKey.issued(new KeyToken("4fQ0c8sXbT", "secret"), SECRET, Set.of(Scope.READ),
            Instant.EPOCH, Optional.empty(), Optional.empty());
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String url = PostgresServer.newDatabase();
    @TempDir
    private Path folder;

    @Test
    void reportsCauseOfConnectionFailure() {
        assertThat(reason(new EOFException())).contains("failed. The server closes the connection: ");
        assertThat(reason(new SocketTimeoutException("Connect timed out"))).contains("failed. No response in time: ");
        assertThat(reason(new SocketException("Connection reset"))).contains("failed. Connection reset; ");
    }

    private static String reason(IOException cause) {
        return PostgresErrors.reason(new SQLException("The connection attempt failed.", "08001", cause));
    }

    /// The server's text would show the values: of the trigger's cast, in the detail of the constraint, and of the failed batch.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PERFORM row_to_json(NEW)::TEXT::INTEGER | | SQLSTATE 22P02
            RETURN NEW | CHECK (%1$s::TEXT = '') | SQLSTATE 23514, table %1$s, constraint refusal
            RAISE 'the trigger refuses' | | ERROR: the trigger refuses""")
    void showsPlaceInsteadOfValues(String action, @Nullable String constraint, String expected) {
        PostgresServer.query(url, "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + action
                + "; END $$");
        try (LogLines log = new LogLines("petstore");
                SqlStore source = SqlStore.of(Sqlite.forCommand(folder, SchemaPolicy.AUTO, StoreAccess.CREATE));
                SqlStore service = new SqlStore(Postgres.forService(PostgresUri.parse(url), SchemaPolicy.AUTO, 1,
                        PATIENCE, new AtomicBoolean()), new SimpleMeterRegistry());
                SqlStore command = SqlStore
                        .of(Postgres.forCommand(PostgresUri.parse(url), SchemaPolicy.AUTO, StoreAccess.CREATE))) {
            source.catalogue().add(PET, Optional.of(REQUEST)).join();
            source.keys().add(KEY);
            Map<String, List<ThrowingCallable>> writes = Map.of(
                    "pet", List.of(() -> AbstractCatalogueTest.adding(service.catalogue(), PET).join(),
                            () -> service.catalogue().add(PET, Optional.of(REQUEST)).join(),
                            () -> command.catalogue().addAll(List.of(PET)),
                            () -> command.catalogue().addWithIds(List.of(List.of(PET.withId(9))).iterator()),
                            () -> source.copyTo(command, _ -> {
                            })),
                    "idempotency", List.of(() -> service.catalogue().add(PET, Optional.of(REQUEST)).join(),
                            () -> source.copyTo(command, _ -> {
                            })),
                    "api_key", List.of(() -> service.keys().add(KEY), () -> command.keys().add(KEY),
                            () -> source.copyTo(command, _ -> {
                            })));
            writes.forEach((table, calls) -> {
                PostgresServer.query(url, "CREATE TRIGGER refuse BEFORE INSERT ON " + table
                        + " FOR EACH ROW EXECUTE FUNCTION refuse()");
                if (constraint != null) {
                    PostgresServer.query(url, "ALTER TABLE " + table + " ADD CONSTRAINT refusal "
                            + constraint.formatted(table));
                }
                for (ThrowingCallable write : calls) {
                    String trace = ThrowableProxyUtil.asString(new ThrowableProxy(catchThrowable(write)));
                    assertThat(trace).contains(expected.formatted(table));
                    assertThat(trace + log.with("")).doesNotContain(SECRET).doesNotContain(KEY.secret().hex());
                }
                PostgresServer.query(url, "DROP TRIGGER refuse ON " + table);
                PostgresServer.query(url, "ALTER TABLE " + table + " DROP CONSTRAINT IF EXISTS refusal");
            });
        }
    }
}
