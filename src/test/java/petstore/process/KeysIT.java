package petstore.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.CommandLines;
import petstore.testkit.Ledger;
import petstore.testkit.Load;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;

/// `petstore keys` with and without a running server.
class KeysIT {

    private static final String KEY_FORMAT = "pets_[0-9A-Za-z]{10}[0-9A-Za-z]{32}[0-9A-Za-z]{6}";

    @TempDir
    private Path temporary;
    private Path folder;

    @BeforeEach
    void chooseFolder() {
        folder = temporary.resolve("data");
    }

    @Test
    void storesOnlyHashOfSecret() throws IOException {
        String key;
        try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady()) {
            key = run("create", "--name", "checkout", "--expires-in", "90d");
            String first = server.firstKey().orElseThrow();
            assertThat(server.client(key).get("/v1/pets").statusCode()).isEqualTo(200);
            assertNotInFiles(secret(key), secret(first));
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
    void createsKeysConcurrentlyInNewStore() {
        List<String> created = createConcurrently(4);
        try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady()) {
            assertThat(server.firstKey()).as("no first key, since the store has keys").isEmpty();
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

    private static String createdKey(PetstoreProcess.Ending ending) {
        assertThat(ending.code()).as(ending.toString()).isZero();
        assertThat(ending.err()).singleElement().asString().contains("audit", "create");
        assertThat(ending.out()).singleElement().asString().matches(KEY_FORMAT);
        return ending.out().getFirst();
    }

    /// Runs `petstore keys` in the process of the tests. Returns stdout.
    private String run(String... arguments) {
        return CommandLines.run(folder, Stream.concat(Stream.of("keys"), Stream.of(arguments)).toArray(String[]::new));
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
}
