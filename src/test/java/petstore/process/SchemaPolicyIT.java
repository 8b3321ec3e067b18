package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.store.Migrations;
import petstore.testkit.ApiClient;
import petstore.testkit.LaterSchema;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.PostgresServer;
import petstore.testkit.Shell;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Stores of this version and of others, and the option `--migrate`. The store is in `./data`, or in a database that commands name.
class SchemaPolicyIT extends AbstractShellTest {

    private static final String KEY = "a-key-for-the-test-of-migrations";
    private static final List<String> ANIMALS = List.of("{\"id\":1,\"name\":\"Whiskers\",\"categoryId\":7}");
    private static final String TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'";
    private static final String VERSIONS = "SELECT version FROM schema_version ORDER BY version";
    private static final String SERVE = "serve --port 0 --admin-port 0";
    private static final String WAITS = "another session upgrades the schema";
    private static final String SLOW = ": no commit has completed yet";
    private static final String NOW = String.valueOf(Migrations.LATEST);
    private static final String LATER = String.valueOf(LaterSchema.VERSION);

    private String later;

    @BeforeEach
    void writeFiles() throws IOException {
        later = "PETSTORE_JAVA_OPTIONS='-XX:TieredStopAtLevel=1 " + LaterSchema.javaOption(folder.resolve("later"))
                + "' petstore ";
        Files.write(folder.resolve("animals.ndjson"), ANIMALS);
    }

    @Test
    void migratesOnceIfReplicasStartTogether() throws SQLException {
        String database = PostgresServer.newDatabase();
        List<PetstoreProcess> replicas = Stream.generate(() -> PetstoreProcess
                .serveDatabase(Map.of("PETSTORE_API_KEY", KEY), database)).limit(3).toList();
        try {
            try (Connection connection = PostgresServer.connect(database);
                    Statement statement = connection.createStatement()) {
                // In turns, a replica waits for the lock on this table, and the others for that replica.
                connection.setAutoCommit(false);
                statement.execute("CREATE TABLE schema_version (version INTEGER)");
                await("a replica waits for the lock").atMost(Duration.ofSeconds(30))
                        .until(() -> !PostgresServer.waitingForLocks(database).isEmpty());
                await("all replicas").atMost(Duration.ofSeconds(30))
                        .until(() -> replicas.stream().noneMatch(replica -> replica.err().isEmpty()));
                connection.rollback();
            }
            for (PetstoreProcess replica : replicas) {
                ApiClient client = replica.awaitReady().client(KEY);
                assertThat(client.post("{\"name\":\"Whiskers\",\"categoryId\":7}").statusCode()).isEqualTo(201);
                assertThat(client.get("/readyz").statusCode()).isEqualTo(200);
                // The first replica may make the tables while another one looks.
                assertThat(replica.err()).allMatch(line -> line.contains(WAITS) || line.endsWith(SLOW)
                        || line.contains("lock timeout")
                        || line.contains("other tables now")
                        || line.contains("the database can be used after "));
            }
            assertThat(PostgresServer.query(database, VERSIONS)).isEqualTo(versionsUpTo(Migrations.LATEST));
        } finally {
            replicas.forEach(PetstoreProcess::close);
        }
    }

    @Test
    void checkRefusesEmptyDatabaseAndLeavesItEmpty() {
        String database = PostgresServer.newDatabase();
        assertThat(run("petstore " + SERVE + " --migrate check --database " + database))
                .isEqualTo(failed("the store has schema version 0, this petstore needs version " + NOW
                        + "; 'serve --migrate auto' brings it up to date"));
        assertThat(PostgresServer.query(database, TABLES)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void laterVersionUpgradesStoreUnlessPolicyIsCheckOrCommandReads(boolean inDatabase) {
        String store = makeStore(inDatabase);
        for (String command : List.of(SERVE + " --migrate check", "keys list")) {
            assertThat(run(later + command + store)).as(command)
                    .isEqualTo(failed("the store has schema version " + NOW + ", this petstore needs version " + LATER
                            + "; 'serve --migrate auto' brings it up to date"));
        }
        assertThat(shell.run(later + "doctor" + store).out())
                .anyMatch(line -> line.contains("schema version " + NOW + ", which --migrate auto makes " + LATER));
        assertThat(versions(store)).isEqualTo(versionsUpTo(Migrations.LATEST));

        assertThat(shell.run(later + "keys create --name second" + store).code()).isZero();
        assertThat(versions(store)).isEqualTo(versionsUpTo(LaterSchema.VERSION));
        assertThat(shell.run(later + "export - --migrate check" + store).out()).isEqualTo(ANIMALS);
        assertRefused(store, "the store has schema version " + LATER
                + ", made by a newer petstore; this one knows versions up to " + NOW);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesStoreThatIsOlderThanAnyRelease(boolean inDatabase) {
        String store = makeStore(inDatabase);
        query(store, "DELETE FROM schema_version RETURNING version");
        query(store, "INSERT INTO schema_version VALUES (7) RETURNING version");
        String older = "the store has schema version 7, older than any release;"
                + " run 'export' with the older program, then 'import' into a new store with this one";
        assertRefused(store, older);
        if (!inDatabase) {
            shell.run("cp data/petstore.db copy.db");
            for (String command : List.of("backup ./new.db", "restore ./copy.db", "move --to "
                    + PostgresServer.newDatabase())) {
                assertThat(shell.petstore(command)).as(command).isEqualTo(failed(older));
            }
        }
    }

    /// Asserts that a start, commands and `doctor` refuse a store with this message, and change nothing.
    private void assertRefused(String store, String message) {
        List<String> before = versions(store);
        for (String command : List.of("keys list", "export -", "import ./animals.ndjson", "keys create --name x",
                "keys list --migrate check")) {
            assertThat(shell.petstore(command + store)).as(command).isEqualTo(failed(message));
        }
        assertThat(run("petstore " + SERVE + store)).isEqualTo(failed(message));
        assertThat(shell.petstore("doctor" + store)).satisfies(doctor -> {
            assertThat(doctor.code()).isEqualTo(1);
            assertThat(doctor.out()).anyMatch(line -> line.startsWith("fail ") && line.endsWith(message));
        });
        assertThat(versions(store)).isEqualTo(before);
    }

    /// Each of these stores has the schema of this version at first.
    @Test
    void laterVersionUpgradesRestoredCopiedAndMovedStore() {
        makeStore(false);
        assertThat(shell.petstore("backup ./backup.db").code()).isZero();
        assertThat(shell.run("mkdir copied && cp backup.db copied/petstore.db;" + later
                + "restore backup.db --data restored && " + later + "backup copy.db --data restored").code()).isZero();
        assertThat(shell.petstore("restore ./copy.db --data ./none").code()).as("nothing was upgraded").isZero();
        for (String other : List.of("copied", "restored")) {
            // Its new backup has a new checksum.
            assertThat(shell.run(later + "import animals.ndjson --data " + other + " && " + later + "backup --prove "
                    + other + ".db --data " + other).code()).isZero();
            assertThat(shell.petstore("restore ./" + other + ".db").err()).singleElement().asString()
                    .contains("made by a newer petstore");
        }
        String target = " --database " + PostgresServer.newDatabase();
        assertThat(shell.run(later + "move" + target.replace("--database", "--to")).code()).isZero();
        assertThat(versions(target)).isEqualTo(versions("")).isEqualTo(versionsUpTo(LaterSchema.VERSION));
        assertThat(shell.run(later + "export -" + target).out()).isEqualTo(ANIMALS);
    }

    @Test
    void refusesDatabaseWithLatin1Encoding() {
        String database = PostgresServer.newDatabase("TEMPLATE template0 ENCODING LATIN1 LOCALE 'C'");
        for (String migrate : List.of("auto", "check")) {
            assertThat(run("petstore " + SERVE + " --migrate " + migrate + " --database " + database))
                    .isEqualTo(failed("the database " + database + " cannot keep every name: its encoding is LATIN1;"
                            + " make one with createdb --encoding=UTF8 --template=template0"));
        }
        assertThat(PostgresServer.query(database, TABLES)).isEmpty();
    }

    private static Ending failed(String line) {
        return new Ending(1, List.of(), List.of("petstore: " + line));
    }

    /// Runs a script as [Shell#run], without the line that a slow disk causes.
    private Ending run(String script) {
        Ending ending = shell.run(script);
        return new Ending(ending.code(), ending.out(),
                ending.err().stream().filter(line -> !line.endsWith(SLOW)).toList());
    }

    /// Makes a store with an animal. Returns the option for a command, which follows its other words.
    private String makeStore(boolean inDatabase) {
        String store = inDatabase ? " --database " + PostgresServer.newDatabase() : "";
        assertThat(shell.petstore("import --keep-ids ./animals.ndjson" + store).code()).isZero();
        return store;
    }

    private static List<String> versionsUpTo(int last) {
        return IntStream.rangeClosed(Migrations.FIRST, last).mapToObj(String::valueOf).toList();
    }

    private List<String> versions(String store) {
        return query(store, VERSIONS);
    }

    /// Returns the first column of the rows of a query on a store.
    private List<String> query(String store, String sql) {
        if (!store.isEmpty()) {
            return PostgresServer.query(store.replace(" --database ", ""), sql);
        }
        try (StoreFile file = new StoreFile(shell.data())) {
            return file.text(sql);
        }
    }
}
