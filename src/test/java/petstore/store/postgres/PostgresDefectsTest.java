package petstore.store.postgres;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.ApiKey;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.IdempotencyKey;
import petstore.KeyToken;
import petstore.NewPet;
import petstore.Scope;
import petstore.store.Migrations;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.LaterSchema;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/// Tables that a crash would empty, whose changes pass the triggers, or on which the role of the service lacks a privilege. The store is
/// in a schema of its own, and its role does not own it.
@Timeout(120)
class PostgresDefectsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final NewPet REX = new NewPet("Rex", 7, Optional.empty());
    private static final String KEY_ID = "4fQ0c8sXbT";

    private final String url = PostgresServer.newDatabase();
    private final String role = "keeper_of_" + url.substring(url.lastIndexOf('/') + 1);
    private final String ofOwner = url + "?options=-csearch_path%3Dzoo";
    private final String ofRole = ofOwner.replace("postgres@", role + "@");

    @BeforeEach
    void makeStore() {
        execute("CREATE SCHEMA zoo");
        execute("CREATE ROLE " + role + " LOGIN");
        try (SqlStore store = open(ofOwner, StoreAccess.CREATE)) {
            store.keys().add(ApiKey.issued(new KeyToken(KEY_ID, "secret"), "one", Set.of(Scope.READ), Instant.EPOCH,
                    Optional.empty(), Optional.empty()));
        }
        execute("""
                GRANT USAGE ON SCHEMA zoo TO %1$s;
                GRANT SELECT ON schema_version, api_key_change, catalogue_version TO %1$s;
                GRANT SELECT, INSERT ON pet TO %1$s;
                GRANT SELECT, UPDATE ON pet_id TO %1$s;
                GRANT SELECT, UPDATE (last_used_ms) ON api_key TO %1$s;
                GRANT SELECT, INSERT, DELETE ON idempotency TO %1$s;
                REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA zoo FROM PUBLIC;
                GRANT EXECUTE ON FUNCTION next_idempotency_id TO %1$s;
                """.formatted(role));
    }

    @AfterEach
    void dropRole() {
        execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
    }

    @Test
    void grantsAreEnough() {
        try (Postgres database = serve(ofRole);
                SqlStore store = new SqlStore(database, new SimpleMeterRegistry())) {
            assertThat(AbstractCatalogueTest.added(store.catalogue(), REX).id()).isEqualTo(1);
            IdempotencyKey expired = new IdempotencyKey(new IdempotencyKey.Name("owner", "createPet", "key"),
                    "fingerprint", Duration.ZERO);
            for (long id = 2; id < 4; id++) {
                assertThat(store.catalogue().add(REX, Optional.of(expired))).succeedsWithin(PATIENCE)
                        .extracting(added -> added.pet().id()).isEqualTo(id);
            }
            store.keys().load();
            store.keys().recordUses(Map.of(KEY_ID, Instant.now()));
            store.check();
        }
        assertThat(problem(ofRole)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"schema_version", "pet", "pet_id", "api_key", "idempotency", "api_key_change",
            "pet_change"})
    void refusesUnloggedTable(String table) {
        assertRefused("ALTER TABLE " + table + " SET UNLOGGED", table + " is UNLOGGED",
                "ALTER TABLE " + table + " SET LOGGED", ofOwner);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            CREATE TABLE kitten () INHERITS (pet) | pet inherits | DROP TABLE kitten
            CREATE TABLE parent (); ALTER TABLE pet_id INHERIT parent | pet_id inherits | ALTER TABLE pet_id NO INHERIT parent
            ALTER TABLE pet RENAME TO p; CREATE TABLE pet (LIKE p) PARTITION BY RANGE (id) | pet is not an ordinary table | \
            DROP TABLE pet; ALTER TABLE p RENAME TO pet
            ALTER TABLE pet RENAME TO p; CREATE TABLE whole (LIKE p) PARTITION BY RANGE (id); \
            CREATE TABLE pet PARTITION OF whole DEFAULT | pet inherits | DROP TABLE whole; ALTER TABLE p RENAME TO pet
            ALTER TABLE idempotency RENAME TO i; CREATE VIEW idempotency AS TABLE i | idempotency is not an ordinary table | \
            DROP VIEW idempotency; ALTER TABLE i RENAME TO idempotency
            ALTER TABLE pet_change RENAME TO c; CREATE FOREIGN DATA WRAPPER far; CREATE SERVER far FOREIGN DATA WRAPPER far; \
            CREATE FOREIGN TABLE pet_change () SERVER far | pet_change is not an ordinary table | \
            DROP FOREIGN DATA WRAPPER far CASCADE; ALTER TABLE c RENAME TO pet_change
            ALTER TABLE pet_change RENAME TO c | pet_change is missing | ALTER TABLE c RENAME TO pet_change
            ALTER TABLE pet DISABLE TRIGGER pet_changed | pet_changed of pet does not run | \
            ALTER TABLE pet ENABLE ALWAYS TRIGGER pet_changed
            ALTER TABLE pet ENABLE REPLICA TRIGGER pet_changed | pet_changed of pet does not run | \
            ALTER TABLE pet ENABLE TRIGGER pet_changed
            ALTER TRIGGER api_key_changed ON api_key RENAME TO t | api_key_changed of api_key does not run | \
            ALTER TRIGGER t ON api_key RENAME TO api_key_changed
            """)
    void refusesTableOfOtherKind(String change, String defect, String repair) {
        assertRefused(change, defect, repair, ofOwner);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            SELECT ON schema_version | permission denied for table schema_version; GRANT
            SELECT ON pet | the role may not SELECT from pet:
            INSERT ON pet | the role may not INSERT into pet:
            SELECT ON pet_id | the role may not SELECT from pet_id:
            UPDATE ON pet_id | the role may not UPDATE pet_id:
            SELECT ON api_key | the role may not SELECT from api_key:
            UPDATE (last_used_ms) ON api_key | the role may not UPDATE api_key:
            SELECT ON idempotency | the role may not SELECT from idempotency:
            INSERT, DELETE ON idempotency | the role may not INSERT into idempotency, DELETE from idempotency:
            SELECT ON api_key_change | the role may not SELECT from api_key_change:
            SELECT ON catalogue_version | catalogue_version
            EXECUTE ON FUNCTION next_idempotency_id | the role may not EXECUTE next_idempotency_id
            USAGE ON SCHEMA zoo | USAGE
            """)
    void refusesRoleWithoutPrivilege(String privilege, String defect) {
        assertRefused("REVOKE " + privilege + " FROM " + role, defect, "GRANT " + privilege + " TO " + role, ofRole);
    }

    @Test
    void readingNeedsOnlyToSelect() {
        execute("REVOKE INSERT ON pet FROM " + role);
        try (SqlStore store = open(ofRole, StoreAccess.READ)) {
            assertThat(store.keys().list()).hasSize(1);
        }
        execute("ALTER TABLE pet SET UNLOGGED");
        assertThatThrownBy(() -> open(ofRole, StoreAccess.READ)).isInstanceOf(CommandFailure.class)
                .hasMessageContaining("pet is UNLOGGED");
    }

    @Test
    void doesNotUpgradeStoreWithDefect() {
        execute("ALTER TABLE pet SET UNLOGGED");
        assertThatThrownBy(() -> PostgresSearch.forCommand(PostgresUri.parse(ofOwner), true, Duration.ZERO, host -> {
            PostgresSchema.prepare(host, LaterSchema.after(Migrations.POSTGRESQL), SchemaPolicy.AUTO,
                    StoreAccess.CHANGE);
            return true;
        })).isInstanceOf(CommandFailure.class).hasMessageContaining("pet is UNLOGGED");
        assertThat(PostgresServer.query(url, "SELECT max(version) FROM zoo.schema_version"))
                .containsExactly(String.valueOf(Migrations.LATEST));
    }

    /// Replicas are upgraded one after the other.
    @Test
    void doesNotJudgeNewerSchema() {
        try (Postgres database = serve(ofOwner)) {
            execute("INSERT INTO schema_version VALUES (" + (Migrations.LATEST + 1) + ")");
            execute("DROP TRIGGER pet_changed ON pet");
            assertThatCode(database.watch()::check).doesNotThrowAnyException();
        }
    }

    /// Asserts that a change makes a running service unready until it is repaired, and that the start and `doctor` say why.
    private void assertRefused(String change, String defect, String repair, String address) {
        try (Postgres running = serve(address)) {
            running.watch().check();
            execute(change);
            await("readiness").atMost(PATIENCE).untilAsserted(() -> assertThat(
                    catchThrowableOfType(Failure.class, running.watch()::check)).isNotNull()
                    .matches(e -> e.kind() == Failure.Kind.UNAVAILABLE)
                    .matches(e -> e.explanation().contains(defect), defect));
            assertThatThrownBy(() -> serve(address)).isInstanceOf(CommandFailure.class).hasMessageContaining(defect);
            assertThat(problem(address)).contains(defect);
            execute(repair);
            await("readiness").atMost(PATIENCE).untilAsserted(
                    () -> assertThatCode(running.watch()::check).doesNotThrowAnyException());
        }
        assertThatCode(() -> serve(address).close()).doesNotThrowAnyException();
    }

    /// Returns the problem or the obstacle that `doctor` shows.
    private static String problem(String address) {
        PostgresInspection.Outcome host = PostgresInspection.of(PostgresUri.parse(address)).getFirst();
        return host.problem() + host.state().filter(state -> state.schema() == 0).map(PostgresInspection::obstacle)
                .orElse("");
    }

    private static Postgres serve(String address) {
        return Postgres.forService(PostgresUri.parse(address), SchemaPolicy.AUTO, 1, Duration.ofSeconds(5),
                new AtomicBoolean());
    }

    private static SqlStore open(String address, StoreAccess access) {
        return SqlStore.of(Postgres.forCommand(PostgresUri.parse(address), SchemaPolicy.AUTO, access));
    }

    private void execute(String sql) {
        PostgresServer.query(url, "SET search_path = zoo; " + sql);
    }
}
