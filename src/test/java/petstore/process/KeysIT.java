package petstore.process;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.ApiClient;
import petstore.testkit.CommandLines;
import petstore.testkit.Ledger;
import petstore.testkit.Load;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.ServedContract;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;

/// `petstore keys` with and without a running server.
class KeysIT {

    private static final String KEY_FORMAT = "pets_[0-9A-Za-z]{10}[0-9A-Za-z]{32}[0-9A-Za-z]{6}";
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";
    private static final Map<String, String> CONFIGURED = Map.of("PETSTORE_API_KEY", "configured-key-of-the-operator");

    @TempDir
    private Path temporary;
    private Path folder;

    @BeforeEach
    void chooseFolder() {
        folder = temporary.resolve("data");
    }

    @Test
    void newKeyWorksAtOnceWithinItsScopeAndLifetime() {
        try (PetstoreProcess server = PetstoreProcess.serve(CONFIGURED, folder).awaitReady()) {
            String key = create("--name", "checkout");
            ApiClient client = server.client(key);
            assertThat(client.post(PET).statusCode()).as("first request with the new key").isEqualTo(201);
            PetstoreProcess.Ending revoked = keys("revoke", id(key));
            assertThat(revoked.code()).isZero();
            assertThat(revoked.out()).isEmpty();
            assertThat(revoked.err()).singleElement().asString().contains("audit", "revoke", id(key), "checkout")
                    .doesNotContain(secret(key));
            assertRefused(client.awaitRefusal(Duration.ofSeconds(2)));
            assertReadKeyCannotWrite(client);
            assertKeyExpires(client);
        }
    }

    private void assertReadKeyCannotWrite(ApiClient anyClient) {
        ApiClient client = anyClient.withKey(run("create", "--name", "reader", "--scope", "pets:read"));
        HttpResponse<String> response = client.post(PET);
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.headers().allValues("WWW-Authenticate")).containsExactly(
                "Bearer realm=\"petstore\", error=\"insufficient_scope\", scope=\"pets:write\"");
        assertThat(ServedContract.json(client.get("/v1/pets").body())).hasSize(1);
    }

    private void assertKeyExpires(ApiClient anyClient) {
        Instant before = Instant.now();
        ApiClient client = anyClient.withKey(run("create", "--name", "short", "--expires-in", "3s"));
        assertThat(client.get("/v1/pets").statusCode()).isEqualTo(200);
        assertRefused(client.awaitRefusal(Duration.ofSeconds(4)));
        assertThat(Instant.now()).isAfterOrEqualTo(before.plusSeconds(3));
    }

    @Test
    void storesOnlyHashOfSecret() throws IOException {
        String key;
        try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady()) {
            key = run("create", "--name", "checkout", "--expires-in", "90d");
            String first = server.firstKey().orElseThrow();
            assertThat(server.client(key).get("/v1/pets").statusCode()).isEqualTo(200);
            assertNotInFiles(secret(key), secret(first));
            PetstoreProcess.Ending list = keys("list");
            assertThat(list.code()).isZero();
            assertThat(list.err()).isEmpty();
            assertThat(list.out()).hasSize(3);
            assertThat(list.out().get(1)).startsWith(id(first)).contains("first", "read write");
            assertThat(list.out().get(2)).startsWith(id(key)).contains("checkout", "read write");
            assertThat(String.join("\n", list.out())).doesNotContain(secret(key), secret(first));
            server.terminate();
            assertThat(server.ending().err()).singleElement().asString()
                    .contains("audit - key create id=" + id(first) + " name=\"first\"").doesNotContain(secret(first));
        }
        assertNotInFiles(secret(key));
        try (StoreFile file = new StoreFile(folder)) {
            assertThat(file.text("SELECT length(secret_sha256) FROM api_key")).containsExactly("64", "64");
        }
    }

    @Test
    void onlyCreateMakesMissingStore() {
        for (String command : List.of("list", "revoke 4fQ0c8sXbT")) {
            PetstoreProcess.Ending ending = ending(command.split(" ", 0));
            assertThat(ending.code()).isEqualTo(1);
            assertThat(ending.out()).isEmpty();
            assertThat(ending.err()).singleElement().asString().contains("no store", folder.toString());
            assertThat(folder).doesNotExist();
        }
        String key = run("create", "--name", "before the server");
        PetstoreProcess.Ending unknown = ending("revoke", "4fQ0c8sXbT");
        assertThat(unknown.code()).isEqualTo(1);
        assertThat(unknown.err()).singleElement().asString().contains("4fQ0c8sXbT", "keys list");
        try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady()) {
            assertThat(server.firstKey()).as("no first key, since the store has a key").isEmpty();
            assertThat(server.client(key).get("/v1/pets").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void createsKeysConcurrentlyInNewStore() {
        List<String> created = createConcurrently(4);
        try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady()) {
            assertThat(created).allMatch(key -> server.client(key).get("/v1/pets").statusCode() == 200);
        }
    }

    @Test
    void createsKeysWhileServerWrites() throws InterruptedException {
        Ledger ledger = new Ledger();
        try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady()) {
            CountDownLatch loaded = new CountDownLatch(200);
            List<String> created;
            try (Load _ = new Load(4, server.port(), server.firstKey().orElseThrow(), ledger, loaded::countDown)) {
                assertThat(loaded.await(30, TimeUnit.SECONDS)).isTrue();
                created = createConcurrently(4);
            }
            assertThat(created).allMatch(key -> server.client(key).get("/v1/pets").statusCode() == 200);
            assertThat(ledger.refused()).isZero();
            try (StoreFile file = new StoreFile(folder)) {
                ledger.verify(file.pets());
            }
            assertThat(server.err()).singleElement().asString().contains("audit - key create");
        }
    }

    private List<String> createConcurrently(int count) {
        List<PetstoreProcess> started = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            started.add(PetstoreProcess.start(Map.of(), "keys", "create", "--data", folder.toString(), "--name",
                    "key " + i));
        }
        List<String> created = started.stream().map(PetstoreProcess::ending).map(KeysIT::createdKey).toList();
        assertThat(created).doesNotHaveDuplicates();
        return created;
    }

    private String create(String... arguments) {
        return createdKey(keys(Stream.concat(Stream.of("create"), Stream.of(arguments)).toArray(String[]::new)));
    }

    private static String createdKey(PetstoreProcess.Ending ending) {
        assertThat(ending.code()).as(ending.toString()).isZero();
        assertThat(ending.err()).singleElement().asString().contains("audit", "create");
        assertThat(ending.out()).singleElement().asString().matches(KEY_FORMAT);
        return ending.out().getFirst();
    }

    private PetstoreProcess.Ending keys(String... arguments) {
        return PetstoreProcess.run(words(arguments));
    }

    /// Runs `petstore keys` in the process of the tests. Returns stdout.
    private String run(String... arguments) {
        PetstoreProcess.Ending ending = ending(arguments);
        assertThat(ending.code()).as(ending.toString()).isZero();
        return String.join("\n", ending.out());
    }

    private PetstoreProcess.Ending ending(String... arguments) {
        return CommandLines.ending(Map.of(), words(arguments));
    }

    private String[] words(String... arguments) {
        return Stream.of(Stream.of("keys"), Stream.of(arguments), Stream.of("--data", folder.toString()))
                .flatMap(part -> part).toArray(String[]::new);
    }

    private static String id(String key) {
        return key.substring(5, 15);
    }

    private static String secret(String key) {
        return key.substring(15, 47);
    }

    private void assertNotInFiles(String... secrets) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> all = files.toList();
            assertThat(all).isNotEmpty();
            for (Path file : all) {
                assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)).doesNotContain(secrets);
            }
        }
    }

    private static void assertRefused(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(response.headers().allValues("WWW-Authenticate"))
                .containsExactly("Bearer realm=\"petstore\", error=\"invalid_token\"");
    }
}
