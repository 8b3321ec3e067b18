package petstore.store.postgres;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petstore.ApiKey;
import petstore.ApiKey.SecretHash;
import petstore.Catalogue.Added;
import petstore.IdempotencyKey;
import petstore.KeyToken;
import petstore.NewPet;
import petstore.Scope;
import petstore.store.SqlStore;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.PostgresServer;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// A store in a database that another database of the same server subscribes to.
class LogicalReplicationTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int GROUP = 40;
    private static final NewPet REX = new NewPet("Rex", 7, Optional.empty());

    private EmbeddedPostgres server;

    @BeforeEach
    void start() throws IOException {
        server = PostgresServer.builder().setServerConfig("wal_level", "logical")
                .setServerConfig("wal_retrieve_retry_interval", "100ms").start();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    @Test
    void servesFromSubscriberAfterSwitchover() throws SQLException {
        query("postgres", "CREATE DATABASE publisher");
        query("postgres", "CREATE DATABASE subscriber");
        List<Added> before = new ArrayList<>();
        try (SqlStore publisher = serve("publisher")) {
            query("publisher", "CREATE PUBLICATION everything FOR ALL TABLES");
            before.addAll(addGroup(publisher, "copied"));
            subscribe();
            before.addAll(addGroup(publisher, "streamed"));
            changeKeys(publisher);
            query("publisher", "UPDATE pet SET name = 'Tom' WHERE id = 1");
            query("publisher", "DELETE FROM pet WHERE id = 2");
            await("the subscriber has all rows").atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(rows("subscriber")).isEqualTo(rows("publisher")));
        }
        query("subscriber", "ALTER SUBSCRIPTION everything DISABLE");
        try (SqlStore subscriber = serve("subscriber")) {
            assertThat(addGroup(subscriber, "streamed")).as("replayed").allMatch(Added::replayed)
                    .extracting(Added::pet).containsExactlyElementsOf(
                            before.subList(GROUP, 2 * GROUP).stream().map(Added::pet).toList());
            assertThat(addGroup(subscriber, "new")).noneMatch(Added::replayed).extracting(added -> added.pet().id())
                    .doesNotHaveDuplicates().allMatch(id -> id > 2 * GROUP);
            changeKeys(subscriber);
            assertThat(subscriber.keys().list()).hasSize(2);
        }
    }

    /// Adds animals with keys and an animal without a key, in one group or a few.
    private static List<Added> addGroup(SqlStore store, String keys) {
        List<CompletableFuture<Added>> added = new ArrayList<>(IntStream.range(0, GROUP)
                .mapToObj(i -> store.catalogue().add(REX, Optional.of(new IdempotencyKey(
                        new IdempotencyKey.Name("owner", "createPet", keys + i), "fingerprint",
                        Duration.ofDays(1)))))
                .toList());
        CompletableFuture<?> unkeyed = AbstractCatalogueTest.adding(store.catalogue(), REX);
        assertThat(added).allSatisfy(one -> assertThat(one).succeedsWithin(PATIENCE));
        assertThat(unkeyed).succeedsWithin(PATIENCE);
        return added.stream().map(CompletableFuture::join).toList();
    }

    private static void changeKeys(SqlStore store) {
        String id = "key" + store.keys().list().size() + "abcdef";
        store.keys().add(ApiKey.issued(new KeyToken(id, "secret"), id, Set.of(Scope.READ), Instant.EPOCH,
                Optional.empty(), Optional.empty()));
        assertThat(store.keys().rotate(id, SecretHash.of("fresh"), Optional.empty())).isPresent();
        assertThat(store.keys().revoke(id, Instant.EPOCH).flatMap(ApiKey::revoked)).isPresent();
    }

    /// Creates the tables on the subscriber, without rows, and waits until the rows so far are copied.
    private void subscribe() throws SQLException {
        serve("subscriber").close();
        query("subscriber", "TRUNCATE " + String.join(", ", tables()));
        // Within one server, CREATE SUBSCRIPTION would wait for its own transaction.
        query("publisher", "SELECT pg_create_logical_replication_slot('everything', 'pgoutput')");
        query("subscriber", "CREATE SUBSCRIPTION everything CONNECTION 'host=localhost port=" + server.getPort()
                + " user=postgres dbname=publisher' PUBLICATION everything WITH (create_slot = false)");
        await("the first copy").atMost(PATIENCE).until(() -> query("subscriber",
                "SELECT 1 FROM pg_subscription_rel WHERE srsubstate <> 'r'").isEmpty());
    }

    private List<String> tables() throws SQLException {
        return query("subscriber", "SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    }

    /// Returns all rows of all tables as text.
    private List<String> rows(String database) throws SQLException {
        List<String> rows = new ArrayList<>();
        for (String table : tables()) {
            rows.addAll(query(database, "SELECT x::TEXT FROM " + table + " AS x ORDER BY 1"));
        }
        return rows;
    }

    /// Returns the first column of all rows.
    private List<String> query(String database, String sql) throws SQLException {
        try (Connection connection = server.getDatabase("postgres", database).getConnection()) {
            return PostgresServer.query(connection, sql);
        }
    }

    private SqlStore serve(String database) {
        return TestStore.serve("postgresql://postgres@localhost:" + server.getPort() + "/" + database);
    }
}
