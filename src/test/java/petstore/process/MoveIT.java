package petstore.process;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Pet;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.postgres.Postgres;
import petstore.store.postgres.PostgresUri;
import petstore.store.sqlite.Sqlite;
import petstore.testkit.ApiClient;
import petstore.testkit.CommandLines;
import petstore.testkit.Ledger;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.PostgresServer;
import petstore.testkit.ServedContract;
import petstore.testkit.StoreFile;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/// The command `petstore move`, which copies the whole store or nothing.
///
/// `-Dpetstore.animals=N` moves N animals instead of 20,000, with 128 MiB of heap.
class MoveIT extends AbstractShellTest {

    private static final long ANIMALS = Long.getLong("petstore.animals", 20_000);
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";
    private static final long HUGE_ID = 4_611_686_018_427_380_000L;

    private final String target = PostgresServer.newDatabase();

    @Test
    void locksSourceAgainstWritesWhileCopying() throws IOException {
        importAnimals("{\"id\":1,\"name\":\"Whiskers\",\"categoryId\":7}");
        try (SqlStore source = SqlStore.of(Sqlite.forCommand(shell.data(), SchemaPolicy.AUTO, StoreAccess.CREATE));
                SqlStore database = SqlStore
                        .of(Postgres.forCommand(PostgresUri.parse(target), SchemaPolicy.AUTO, StoreAccess.CREATE));
                StoreFile other = new StoreFile(shell.data())) {
            other.execute("PRAGMA busy_timeout = 0");
            AtomicInteger attempts = new AtomicInteger();
            source.copyTo(database, _ -> {
                attempts.incrementAndGet();
                assertThatThrownBy(() -> other.execute("BEGIN IMMEDIATE")).hasMessageContaining("SQLITE_BUSY");
            });
            assertThat(attempts).hasPositiveValue();
        }
    }

    @Test
    void copiesAnimalsKeysAndStoredResults() throws IOException {
        importAnimals(
                "{\"id\":3,\"name\":\" 'O\\\"Neil\\\\\\n\\t; -- 100% ü \\u200b Ⅷ  \",\"categoryId\":-9223372036854775808}",
                "{\"id\":4,\"name\":\"wrong\",\"categoryId\":1}",
                "{\"id\":5,\"name\":\"🐈\",\"categoryId\":9223372036854775807,\"status\":\"sold\"}",
                "{\"id\":700,\"name\":\"" + "🦄".repeat(255) + "\",\"categoryId\":0,\"status\":\"available\"}",
                "{\"id\":5000000000,\"name\":\"null\",\"categoryId\":1,\"status\":\"pending\"}",
                "{\"id\":" + HUGE_ID + ",\"name\":\"\\\\N\",\"categoryId\":1}");
        try (StoreFile file = new StoreFile(shell.data())) {
            file.execute("DELETE FROM pet WHERE id = 4");
        }
        String live = createKey("live --rate-limit 600/1m");
        String reader = createKey("reader --scope pets:read --expires-in 90d");
        String revoked = createKey("revoked");
        String expired = createKey("expired");
        String rotated = createKey("rotated");
        inThisProcess("keys revoke " + id(revoked));
        String newKey = inThisProcess("keys rotate --grace 24h " + id(rotated));
        String added;
        List<String> before;
        try (PetstoreProcess server = PetstoreProcess.serve(shell.data()).awaitReady()) {
            added = server.client(live).post(PET, "Idempotency-Key", "once").body();
            server.client(rotated).post(PET, "Idempotency-Key", "twice");
            before = pages(server.client(live));
            server.terminate();
            server.ending();
        }
        long lastId = HUGE_ID + 1_000;
        try (StoreFile file = new StoreFile(shell.data())) {
            file.execute("UPDATE api_key SET expires_ms = 1000 WHERE name = 'expired'");
            file.execute("UPDATE sqlite_sequence SET seq = " + lastId + " WHERE name = 'pet'");
        }
        String keys = inThisProcess("keys list --format json");
        List<Pet> pets = pets();

        Ending moved = moveInThisProcess();
        assertThat(moved.code()).as(moved.toString()).isZero();
        assertThat(moved.out()).isEmpty();
        assertThat(moved.err()).hasSize(2);
        assertThat(moved.err().getFirst())
                .matches("Moved to postgresql://postgres@localhost:[0-9]+/petstore[0-9]+,"
                        + " both sides compared: 7 animals, 5 API keys, 2 kept results, greatest id " + lastId
                        + ", SHA-256 [0-9a-f]{64}");
        assertThat(moved.err().getLast()).startsWith(
                "Nothing was removed from ./data; next: petstore serve --database postgresql://postgres@");

        assertThat(pets()).as("animals of the source").isEqualTo(pets).hasSize(7);
        assertThat(keys(target)).isEqualTo(keys).contains("\"lastUsed\"");
        try (PetstoreProcess server = serveTarget()) {
            ApiClient client = server.client(live).withRetries();
            assertThat(pages(client)).isEqualTo(before);
            assertThat(client.post(PET, "Idempotency-Key", "once")).satisfies(replayed -> {
                assertThat(replayed.body()).isEqualTo(added);
                assertThat(replayed.headers().firstValue("Idempotent-Replayed")).contains("true");
            });
            assertThat(Ledger.pet(ServedContract.json(client.post(PET, "Idempotency-Key", "new").body())).id())
                    .isGreaterThan(lastId);
            for (String key : List.of(reader, rotated, newKey)) {
                assertThat(client.withKey(key).get("/v1/pets").statusCode()).isEqualTo(200);
            }
            assertThat(client.withKey(reader).post(PET).statusCode()).isEqualTo(403);
            for (String key : List.of(revoked, expired)) {
                assertThat(client.withKey(key).get("/v1/pets").statusCode()).isEqualTo(401);
            }
        }
    }

    /// If you add a table, make `StoreCopy` copy it, and add its name here.
    @Test
    void knowsEveryTable() {
        migrateTarget();
        assertThat(PostgresServer.query(target,
                "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"))
                .containsExactly("api_key", "api_key_change", "catalogue_version", "idempotency", "pet", "pet_change",
                        "pet_id", "schema_version");
    }

    @Test
    void movesAnEmptyStore() {
        String key = createKey("only");
        assertThat(moveInThisProcess().err().getFirst())
                .contains("0 animals, 1 API key, 0 kept results, greatest id 0");
        try (PetstoreProcess server = serveTarget()) {
            assertThat(Ledger.pet(ServedContract.json(
                    server.client(key).withRetries().post(PET, "Idempotency-Key", "first").body())).id()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INSERT INTO pet (id, name, category_id) VALUES (1, 'Rex', 1)",
            "INSERT INTO api_key (id, name, scopes, secret_sha256, created_ms) VALUES ('a', 'b', 'c', 'd', 1)",
            "INSERT INTO idempotency (owner, operation, idempotency_key, fingerprint, pet_id, received_ms) VALUES ('a', 'b', 'c', 'd', 1, 1)",
            "UPDATE pet_id SET last_id = 9"})
    void refusesNonEmptyTarget(String sql) throws IOException {
        importAnimals("{\"id\":5,\"name\":\"Rex\",\"categoryId\":1}");
        migrateTarget();
        PostgresServer.query(target, sql);
        List<String> before = rows();
        assertThat(moveInThisProcess()).isEqualTo(failed("the target is not empty: it has animals or API keys, or had;"
                + " make a new database with createdb"));
        assertThat(rows()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "2 | move | missing required option: '--to=URL' (see 'petstore move --help')",
            "2 | move --to mysql://u@h/d | --to: the database's address cannot be used: it must look like postgresql://user@host:5432/database (see 'petstore move --help')",
            "2 | move --to postgresql://h/d --database postgresql://h/e | this works on the embedded store, not on --database; pg_dump copies a PostgreSQL database (see 'petstore move --help')"})
    void reportsErrorsInOneLine(String line) {
        String[] parts = line.split(" \\| ", 3);
        assertThat(shell.petstore(parts[1]))
                .isEqualTo(new Ending(Integer.parseInt(parts[0]), List.of(), List.of("petstore: " + parts[2])));
        assertThat(folder).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"pet: NEW.name = NEW.name || ' '; RETURN NEW;", "pet: NEW.category_id = 8; RETURN NEW;",
            "pet: NEW.status = NULL; RETURN NEW;", "pet: RETURN NULL;", "api_key: NEW.revoked_ms = NULL; RETURN NEW;",
            "api_key: NEW.id = reverse(NEW.id); RETURN NEW;", "idempotency: RETURN NULL;"})
    void rollsBackIfCopyDiffersFromSource(String change) {
        String key = createKey("Some");
        try (TestService service = TestService.start(shell.data())) {
            service.client().withKey(key).post("{\"name\":\"Rex\",\"categoryId\":7,\"status\":\"sold\"}",
                    "Idempotency-Key", "once");
        }
        inThisProcess("keys revoke " + id(key));
        migrateTarget();
        List<String> empty = rows();
        String[] parts = change.split(": ", 2);
        onInsert(parts[0], parts[1]);
        Ending ending = moveInThisProcess();
        assertThat(ending.code()).isEqualTo(1);
        assertThat(ending.err()).singleElement().asString()
                .startsWith("petstore: the copy differs and was not kept: the source has 1 animal, 1 API key,"
                        + " 1 kept result, greatest id 1, SHA-256 ")
                .contains(", the target has ");
        assertThat(rows()).isEqualTo(empty);
    }

    @Test
    void blamesDamagedSourceNotTarget() throws IOException {
        importMany(10_000);
        createKey("some");
        try (FileChannel file = FileChannel.open(shell.data().resolve("petstore.db"), StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate((int) file.size() / 2), file.size() / 4);
        }
        assertThat(moveInThisProcess().err()).singleElement().asString()
                .startsWith("petstore: the store ./data/petstore.db cannot be used: ").contains("malformed")
                .doesNotContain("postgresql");
        assertThat(rows()).containsExactly("0", "0", "0", "0");
    }

    @Test
    void rollsBackOnSigtermAndHidesPassword() throws IOException {
        importMany(1_000);
        createKey("some");
        migrateTarget();
        List<String> empty = rows();
        onInsert("pet", "IF NEW.id = 500 THEN PERFORM pg_sleep(5); END IF; RETURN NEW;");
        String connections = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
                + " AND application_name = 'petstore'";
        Map<String, String> environment = Map.of("PETSTORE_TO", target.replace("postgres@", "postgres:s%65cret@"));
        try (PetstoreProcess move = PetstoreProcess.start(environment, "move", "--data", shell.data().toString())) {
            awaitRow("SELECT 1 WHERE EXISTS (" + connections + " AND wait_event = 'PgSleep')");
            assertThat(Files.readString(Path.of("/proc", String.valueOf(move.pid()), "cmdline"))).contains("move")
                    .doesNotContain("cret");
            move.terminate();
            Ending ending = move.ending();
            assertThat(ending.code()).isEqualTo(143);
            assertThat(ending.toString()).doesNotContain("cret@", "Moved");
        }
        awaitRow("SELECT 1 WHERE NOT EXISTS (" + connections + ")");
        assertThat(rows()).isEqualTo(empty);
        PostgresServer.query(target, "DROP TRIGGER change ON pet");
        assertThat(moveInThisProcess().code()).isZero();
    }

    @Test
    void movesManyAnimalsWithSmallHeap() throws IOException {
        importMany(ANIMALS);
        Ending moved = shell.run("PETSTORE_JAVA_OPTIONS=-Xmx128m petstore move --to " + target);
        assertThat(moved.code()).as(moved.toString()).isZero();
        assertThat(rows().getFirst()).isEqualTo(String.valueOf(ANIMALS));
        assertThat(shell.petstore("export - --database " + target).out())
                .isEqualTo(shell.petstore("export -").out());
    }

    private Ending moveInThisProcess() {
        return shell.petstore("move --to " + target);
    }

    private static Ending failed(String line) {
        return new Ending(1, List.of(), List.of("petstore: " + line));
    }

    private void migrateTarget() {
        SqlStore.of(Postgres.forCommand(PostgresUri.parse(target), SchemaPolicy.AUTO, StoreAccess.CREATE)).close();
    }

    private PetstoreProcess serveTarget() {
        return PetstoreProcess.serve(folder, "--database", target).awaitReady();
    }

    private String createKey(String nameAndOptions) {
        return inThisProcess("keys create --name " + nameAndOptions);
    }

    /// Runs a command that prepares the source. Only the move itself needs a process of its own.
    private String inThisProcess(String command) {
        return CommandLines.run(shell.data(), command.split(" ", 0));
    }

    private static String id(String key) {
        return key.substring("pets_".length(), "pets_".length() + 10);
    }

    private String keys(String database) {
        return shell.petstore("keys list --format json --database " + database).out().getFirst();
    }

    private List<Pet> pets() {
        try (StoreFile file = new StoreFile(shell.data())) {
            return file.pets();
        }
    }

    /// Returns response bodies of the API: lists with different parameters, and single animals.
    private static List<String> pages(ApiClient client) {
        List<String> bodies = new ArrayList<>();
        for (String path : List.of("/v1/pets?limit=100", "/v1/pets?limit=2", "/v1/pets?status=sold",
                "/v1/pets?limit=100&after=700", "/v1/pets/3", "/v1/pets/700", "/v1/pets/" + HUGE_ID)) {
            HttpResponse<String> response = client.get(path);
            assertThat(response.statusCode()).as(path).isEqualTo(200);
            bodies.add(response.body());
        }
        return bodies;
    }

    /// Returns the numbers of animals, API keys and stored results in the target, and the greatest used id.
    private List<String> rows() {
        return PostgresServer.query(target, "SELECT count(*) FROM pet UNION ALL SELECT count(*) FROM api_key"
                + " UNION ALL SELECT count(*) FROM idempotency UNION ALL SELECT last_id FROM pet_id");
    }

    /// Makes the target run a PL/pgSQL body for each row before it is inserted into a table.
    private void onInsert(String table, String body) {
        PostgresServer.query(target, "CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + body
                + " END $$");
        PostgresServer.query(target,
                "CREATE TRIGGER change BEFORE INSERT ON " + table + " FOR EACH ROW EXECUTE FUNCTION change()");
    }

    /// Waits until the query returns a row.
    private void awaitRow(String sql) {
        await(sql).atMost(Duration.ofMinutes(1)).until(() -> !PostgresServer.query(target, sql).isEmpty());
    }

    private void importAnimals(String... lines) throws IOException {
        Files.write(folder.resolve("animals.ndjson"), List.of(lines));
        inThisProcess("import --keep-ids " + folder.resolve("animals.ndjson"));
    }

    private void importMany(long count) throws IOException {
        importAnimals(IntStream.rangeClosed(1, Math.toIntExact(count))
                .mapToObj(id -> "{\"id\":" + id + ",\"name\":\"Animal number " + id + "\",\"categoryId\":" + id % 50
                        + (id % 3 == 0 ? "}" : ",\"status\":\"pending\"}"))
                .toArray(String[]::new));
    }
}
