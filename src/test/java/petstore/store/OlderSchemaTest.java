package petstore.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.ApiKey;
import petstore.CatalogueVersion;
import petstore.CommandFailure;
import petstore.KeyToken;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.PetStatus;
import petstore.Scope;
import petstore.app.EmbeddedStore;
import petstore.app.PostgresStore;
import petstore.app.StoreChoice;
import petstore.store.postgres.Postgres;
import petstore.store.postgres.PostgresUri;
import petstore.store.sqlite.Sqlite;
import petstore.store.sqlite.SqliteCopy;
import petstore.store.sqlite.SqliteCopy.VerifiedBackup;
import petstore.store.sqlite.SqliteFile;
import petstore.store.sqlite.SqliteRestore;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Stores with schema version 1, created by its script and filled with SQL only.
class OlderSchemaTest {

    private static final Pet WHISKERS = new Pet(7, "Whiskers", 3, Optional.of(PetStatus.SOLD));
    private static final ApiKey KEY = ApiKey.issued(new KeyToken("4fQ0c8sXbT", "secret"), "shop", Set.of(Scope.READ),
            Instant.ofEpochMilli(1_000), Optional.empty(), Optional.empty());

    /// Opens connections without code of the program.
    @FunctionalInterface
    private interface Database {
        Connection connect() throws SQLException;
    }

    @TempDir
    private Path folder;

    @Test
    void upgradesOlderSqliteStoreUnlessPolicyIsCheck() {
        Database database = sqlite(folder);
        createStore(database, "sqlite");
        assertUpgradedUnlessPolicyIsCheck(database,
                migrate -> SqlStore.of(Sqlite.forCommand(folder, migrate, StoreAccess.CREATE)));
    }

    @Test
    void upgradesOlderPostgresStoreUnlessPolicyIsCheck() {
        String url = PostgresServer.newDatabase();
        Database database = () -> PostgresServer.connect(url);
        createStore(database, "postgresql");
        execute(database, "UPDATE pet_id SET last_id = 7");
        assertUpgradedUnlessPolicyIsCheck(database,
                migrate -> SqlStore.of(Postgres.forCommand(PostgresUri.parse(url), migrate, StoreAccess.CREATE)));
    }

    private static void assertUpgradedUnlessPolicyIsCheck(Database database, Function<SchemaPolicy, SqlStore> open) {
        assertThatThrownBy(() -> open.apply(SchemaPolicy.CHECK)).isInstanceOf(CommandFailure.class).hasMessage(
                "the store has schema version 1, this petstore needs version 7; 'serve --migrate auto' brings it up to date");
        assertThat(versions(database)).containsExactly(1);
        try (SqlStore store = open.apply(SchemaPolicy.AUTO)) {
            assertHasAnimalAndKey(store, 8);
        }
        assertThat(versions(database)).containsExactly(1, 2, 3, 4, 5, 6, 7);
        open.apply(SchemaPolicy.CHECK).close();
    }

    @Test
    void readingCommandUpgradesNoStore() {
        Database sqlite = sqlite(folder);
        createStore(sqlite, "sqlite");
        String url = PostgresServer.newDatabase();
        Database postgres = () -> PostgresServer.connect(url);
        createStore(postgres, "postgresql");
        for (StoreChoice choice : List.of(new EmbeddedStore(folder, SchemaPolicy.AUTO),
                new PostgresStore(PostgresUri.parse(url), SchemaPolicy.AUTO))) {
            assertThatThrownBy(() -> choice.open(StoreAccess.READ)).isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("'serve --migrate auto' brings it up to date");
        }
        assertThat(versions(sqlite)).containsExactly(1);
        assertThat(versions(postgres)).containsExactly(1);
    }

    @Test
    void restoresBackupOfOlderStore() throws IOException {
        Path old = Files.createDirectory(folder.resolve("old"));
        createStore(sqlite(old), "sqlite");
        Path backup = folder.resolve("backup.db");
        assertThat(SqliteCopy.backup(old, backup, Instant.EPOCH, false, _ -> {
        })).isEqualTo(new VerifiedBackup(1, false));
        assertThat(versions(sqlite(old))).as("a backup does not upgrade the store").containsExactly(1);

        Path data = folder.resolve("data");
        try (SqlStore replaced = SqlStore.of(Sqlite.forCommand(data, SchemaPolicy.AUTO, StoreAccess.CREATE))) {
            replaced.catalogue().addWithIds(List.of(List.of(new Pet(100, "Rex", 1, Optional.empty()))).iterator());
        }
        assertThat(SqliteCopy.verify(backup)).isEqualTo(new VerifiedBackup(1, false));
        SqliteRestore.restore(backup, data, Instant.EPOCH, _ -> {
        });
        try (SqlStore restored = SqlStore.of(Sqlite.forCommand(data, SchemaPolicy.AUTO, StoreAccess.CREATE))) {
            assertHasAnimalAndKey(restored, 101);
        }
    }

    private static void assertHasAnimalAndKey(SqlStore store, long nextId) {
        assertThat(AbstractCatalogueTest.awaited(store.catalogue().find(WHISKERS.id()))).contains(WHISKERS);
        assertThat(AbstractCatalogueTest.list(store.catalogue(), new PetQuery(1, WHISKERS.status(), 0)).pets())
                .containsExactly(WHISKERS);
        assertThat(store.keys().list()).usingRecursiveFieldByFieldElementComparator().containsExactly(KEY);
        assertThat(AbstractCatalogueTest.added(store.catalogue(), new NewPet("Rex", 1, Optional.empty())).id())
                .isEqualTo(nextId);
        assertThat(AbstractCatalogueTest.awaited(store.catalogue().version()))
                .isEqualTo(new CatalogueVersion(0, nextId));
        store.check();
    }

    private static Database sqlite(Path folder) {
        return () -> DriverManager.getConnection("jdbc:sqlite:" + SqliteFile.in(folder));
    }

    private static void createStore(Database database, String dialect) {
        execute(database, "CREATE TABLE schema_version (version INTEGER NOT NULL PRIMARY KEY)");
        execute(database, script("migrations/" + dialect + "/1.sql").split(";\\s*\\n", 0));
        execute(database, "INSERT INTO schema_version (version) VALUES (1)",
                "INSERT INTO pet (id, name, category_id, status) VALUES (7, 'Whiskers', 3, 'sold')",
                "INSERT INTO api_key (id, name, scopes, secret_sha256, created_ms) VALUES ('4fQ0c8sXbT', 'shop',"
                        + " 'pets:read', '" + KEY.secret().hex() + "', 1000)");
    }

    private static String script(String name) {
        try (InputStream script = Migrations.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void execute(Database database, String... sql) {
        try (Connection connection = database.connect(); Statement statement = connection.createStatement()) {
            for (String command : sql) {
                statement.execute(command);
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Integer> versions(Database database) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT version FROM schema_version ORDER BY version")) {
            List<Integer> versions = new ArrayList<>();
            while (row.next()) {
                versions.add(row.getInt(1));
            }
            return versions;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
