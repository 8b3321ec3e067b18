package petstore.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.CommandLines;
import petstore.testkit.LogLines;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;

/// Commands on PostgreSQL databases that have no store, a store in another schema, or tables of other programs.
class DatabaseSchemaTest {

    private static final String TABLES = "SELECT schemaname || '.' || tablename FROM pg_tables"
            + " WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1";

    @TempDir
    private Path folder;
    private final String url = PostgresServer.newDatabase();

    @ParameterizedTest
    @ValueSource(strings = {"keys list", "keys rotate shop", "keys revoke shop", "export FOLDER/nightly.ndjson",
            "export -", "import --dry-run FOLDER/nightly.ndjson"})
    void commandThatNeedsStoreCreatesNone(String command) throws IOException {
        Path nightly = Files.writeString(folder.resolve("nightly.ndjson"), "{\"name\":\"Rex\",\"categoryId\":1}\n");
        Ending ending = run(url, command.replace("FOLDER", folder.toString()).split(" ", 0));
        assertThat(ending.code()).isEqualTo(1);
        assertThat(ending.out()).isEmpty();
        assertThat(ending.err()).singleElement().asString().startsWith(
                "petstore: there is no store in the schema public of the database " + url + "; ");
        assertThat(tables()).isEmpty();
        assertThat(nightly).hasContent("{\"name\":\"Rex\",\"categoryId\":1}");
    }

    @Test
    void saysOnceWhereStoreIsCreated() {
        try (LogLines log = new LogLines("petstore.store")) {
            assertThat(create(url).code()).isZero();
            assertThat(create(url, "other").code()).isZero();
            assertThat(log.with(url))
                    .containsExactly("created a new store in the schema public of the database " + url);
        }
    }

    /// Flyway before version 5 had the first table, Petclinic has the second.
    @ParameterizedTest
    @ValueSource(strings = {"TABLE schema_version (installed_rank INT, version VARCHAR(50), checksum INT)",
            "TABLE pet (id INT PRIMARY KEY, name TEXT)", "VIEW pet_id AS SELECT 1 AS last_id",
            "TABLE api_key (id INT)", "TABLE idempotency (id INT)", "VIEW catalogue_version AS SELECT 1 AS x"})
    void leavesTablesOfOtherProgramsAlone(String table) {
        PostgresServer.query(url, "CREATE " + table);
        List<String> before = tables();
        String name = table.split(" ", 0)[1];
        for (String command : List.of("keys create --name shop", "import examples/animals.ndjson")) {
            assertThat(run(url, command.split(" ", 0))).satisfies(ending -> {
                assertThat(ending.code()).isEqualTo(1);
                assertThat(ending.err()).singleElement().asString().contains(url, name, "another schema");
            });
        }
        assertThat(run(url, "keys", "list").err()).singleElement().asString().contains("there is no store in ");
        assertThat(tables()).isEqualTo(before);
        assertThat(create(url + "?options=-csearch_path%3Down").err()).singleElement().asString()
                .contains("no schema for tables", "own");
        PostgresServer.query(url, "CREATE SCHEMA own");
        assertThat(create(url + "?options=-csearch_path%3Down,public").code()).isZero();
        assertThat(tables()).contains("own.pet", "own.idempotency");
    }

    @Test
    void usesStoreBehindTablesOfOtherPrograms() {
        assertThat(create(url).code()).isZero();
        PostgresServer.query(url, "CREATE SCHEMA postgres");
        PostgresServer.query(url, "CREATE TABLE postgres.pet (id INT)");
        PostgresServer.query(url, "CREATE TABLE postgres.schema_version (version VARCHAR(50))");
        assertThat(run(url, "import", "examples/animals.ndjson").code()).isZero();
        assertThat(run(url, "export", "-").out()).isNotEmpty();
        assertThat(PostgresServer.query(url, "SELECT id FROM postgres.pet")).isEmpty();
    }

    @Test
    void createsNoSecondStoreUnlessAddressNamesSchema() {
        assertThat(create(url).code()).isZero();
        PostgresServer.query(url, "CREATE SCHEMA postgres");
        PostgresServer.execute("ALTER DATABASE " + url.replaceFirst(".*/", "") + " SET search_path = \"$user\"");
        List<String> before = tables();
        for (String address : List.of(url, url + "?options=-cstatement_timeout%3D5s",
                url + "?options=-csearch_path%3D%22$user%22")) {
            assertThat(create(address).err()).singleElement().asString().contains("the schema postgres of",
                    "the schema public has one");
            assertThat(run(address, "keys", "list").err()).singleElement().asString()
                    .contains("there is no store in the schema postgres of", "the schema public has one");
        }
        assertThat(tables()).isEqualTo(before);
        PostgresServer.query(url, "ALTER TABLE public.api_key RENAME TO elsewhere");
        assertThat(create(url).err()).singleElement().asString().contains("the schema public has one");
        PostgresServer.query(url, "ALTER TABLE public.elsewhere RENAME TO api_key");
        assertThat(tables()).isEqualTo(before);
        assertThat(run(url + "?options=-csearch_path%3Dpublic", "keys", "list").out()).hasSize(2);
        assertThat(create(url + "?options=--search_path%3Dpostgres").code()).isZero();
        assertThat(run(url, "keys", "list").out()).hasSize(2);
        assertThat(tables()).contains("postgres.api_key");
    }

    @Test
    void createsNoStoreInTemplate() {
        PostgresServer.execute("ALTER DATABASE " + url.replaceFirst(".*/", "") + " IS_TEMPLATE true");
        for (Ending ending : List.of(create(url), run(url, "import", "examples/animals.ndjson"))) {
            assertThat(ending.code()).isEqualTo(1);
            assertThat(ending.err()).last().asString().contains("no store can be created", "use another database");
        }
        assertThat(tables()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"nowhere, (none)", "'', (none)", "pg_temp, pg_temp_"})
    void createsNoStoreWithoutSchema(String path, String named) {
        String address = url + "?options=-csearch_path%3D" + path;
        for (Ending ending : List.of(create(address), run(address, "keys", "list"))) {
            assertThat(ending.code()).isEqualTo(1);
            assertThat(ending.err()).singleElement().asString().contains("the schema " + named, "no schema for tables");
        }
        assertThat(tables()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"pet_id, import examples/animals.ndjson", "pet_id, import --keep-ids FOLDER/kept.ndjson",
            "schema_version, keys list", "schema_version, keys create --name shop"})
    void namesTableThatLostItsRow(String table, String command) throws IOException {
        Files.writeString(folder.resolve("kept.ndjson"), "{\"id\":1,\"name\":\"Rex\",\"categoryId\":1}\n");
        assertThat(create(url).code()).isZero();
        PostgresServer.query(url, "TRUNCATE " + table);
        Ending ending = run(url, command.replace("FOLDER", folder.toString()).split(" ", 0));
        assertThat(ending.err()).last().asString().contains("the table " + table, " has lost its row");
    }

    private Ending create(String address) {
        return create(address, "shop");
    }

    private static Ending create(String address, String name) {
        return run(address, "keys", "create", "--name", name);
    }

    private static Ending run(String address, String... command) {
        return CommandLines.ending(Map.of(),
                Stream.concat(Stream.of(command), Stream.of("--database", address)).toArray(String[]::new));
    }

    private List<String> tables() {
        return PostgresServer.query(url, TABLES);
    }
}
