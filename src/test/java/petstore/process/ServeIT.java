package petstore.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.sqlite.Sqlite;
import petstore.testkit.ApiClient;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.ServedContract;
import petstore.testkit.Shell;
import petstore.testkit.StoreFile;
import petstore.testkit.TestCertificate;

import static org.assertj.core.api.Assertions.assertThat;

/// The command `petstore serve`: its output, settings and files.
class ServeIT {

    private static final String CONFIGURED_KEY = "configured-key-of-the-operator";
    private static final int STARTS = 5;
    private static final long BETWEEN_LOOKS_NANOS = 5_000;
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";

    @TempDir
    private Path temporary;
    private Path folder;

    @BeforeEach
    void chooseFolder() {
        folder = temporary.resolve("data");
    }

    /// An import looks after each group whether a server runs, also while one starts.
    @Test
    void startsWhileCommandLooksForServer() throws InterruptedException {
        AtomicBoolean ended = new AtomicBoolean();
        try (SqlStore store = SqlStore.of(Sqlite.forCommand(folder, SchemaPolicy.AUTO, StoreAccess.CREATE))) {
            assertThat(store.isServed()).isFalse();
            try (PetstoreProcess _ = PetstoreProcess.serve(folder).awaitReady()) {
                assertThat(store.isServed()).isTrue();
            }
            assertThat(store.isServed()).isFalse();
            // Not a virtual thread: with one processor, it would take that of all others.
            CompletableFuture<Void> looking = CompletableFuture.runAsync(() -> {
                while (!ended.get()) {
                    store.isServed();
                    // A sleep would take longer.
                    for (long now = System.nanoTime(); System.nanoTime() - now < BETWEEN_LOOKS_NANOS;) {
                        Thread.onSpinWait();
                    }
                }
            }, task -> Thread.ofPlatform().start(task));
            try {
                for (int start = 0; start < STARTS; start++) {
                    PetstoreProcess.serve(folder).awaitReady().close();
                }
            } finally {
                ended.set(true);
            }
            looking.join();
        }
    }

    @Test
    void showsFirstKeyOnlyOnFirstStart() throws IOException {
        String key;
        try (PetstoreProcess first = PetstoreProcess.serve(folder).awaitReady()) {
            key = first.firstKey().orElseThrow();
            assertThat(first.port()).isNotEqualTo(first.adminPort());
            assertThat(first.client(key).post(PET).statusCode()).isEqualTo(201);
            HttpResponse<String> refusal = first.client(key + "x").get("/v1/pets");
            assertThat(refusal.statusCode()).isEqualTo(401);
            assertThat(refusal.body() + refusal.headers()).doesNotContain(key);
            first.terminate();
            PetstoreProcess.Ending ending = first.ending();
            assertThat(ending.code()).isZero();
            String origin = "http://127.0.0.1:" + first.port();
            assertThat(ending.out().getFirst()).matches("Petstore [0-9]+\\.[0-9]+\\.[0-9]+( \\(commit [\\w-]+\\))?");
            assertThat(ending.out().subList(1, ending.out().size())).containsExactly("Data: " + folder,
                    "First API key, shown only once: " + key, "Petstore is ready: " + origin + "/v1",
                    "Page: " + origin + "/", "Try it:",
                    "  curl -H 'Authorization: Bearer " + key + "' " + origin + "/v1/pets",
                    "Admin: http://127.0.0.1:" + first.adminPort());
            assertThat(ending.err()).hasSize(2);
            assertThat(ending.err().getFirst()).contains(" audit - key create id=" + key.substring(5, 15));
            assertThat(ending.err().getLast()).contains(" audit - refused 401 GET /v1/pets ");
            assertThat(String.join("", ending.err())).doesNotContain(key);
        }
        try (PetstoreProcess second = PetstoreProcess.serve(folder).awaitReady()) {
            assertThat(second.client(key).get("/v1/pets").body()).contains("Whiskers");
            second.terminate();
            String origin = "http://127.0.0.1:" + second.port();
            List<String> out = second.ending().out();
            assertThat(out.subList(1, out.size())).containsExactly("Data: " + folder,
                    "Petstore is ready: " + origin + "/v1", "Page: " + origin + "/", "Try it:",
                    "  curl " + origin + "/readyz", "New API key:",
                    "  " + PetstoreProcess.LAUNCHER + " keys create --name me --data " + folder,
                    "Admin: http://127.0.0.1:" + second.adminPort());
        }
    }

    /// The suggested commands work as they are, also if curl cannot verify the certificate.
    @Test
    void suggestsCommandsThatWorkAsPasted() throws IOException {
        TestCertificate certificate = TestCertificate.ec();
        Path chain = Files.writeString(temporary.resolve("chain.pem"), certificate.certificate());
        Path secret = Files.writeString(temporary.resolve("key.pem"), certificate.key());
        folder = temporary.resolve("it's data");
        for (String options : List.of("--page off", "--host 0.0.0.0 --base-url https://petstore.example/shop/v1",
                "--tls-certificate " + chain + " --tls-key " + secret)) {
            try (PetstoreProcess server = PetstoreProcess.serve(folder, options.split(" ", -1)).awaitReady()) {
                List<String> suggested = server.out().stream().filter(line -> line.startsWith("  ")).toList();
                Ending ending = new Shell(temporary).run(String.join(" && echo && ", suggested));
                assertThat(ending.code()).as(options + suggested + ending).isZero();
                if (server.firstKey().isPresent()) {
                    assertThat(ending.out()).containsExactly("[]");
                    assertThat(server.out()).noneMatch(line -> line.startsWith("Page: "));
                } else {
                    assertThat(ending.out().getFirst()).isEqualTo("{\"status\":\"ready\"}");
                    assertThat(ending.out().getLast()).startsWith("pets_");
                    assertThat(server.out()).noneMatch(line -> line.contains("pets_"));
                    CommandLines.run(folder, "keys", "revoke", "me");
                }
                if (options.contains("--base-url")) {
                    assertThat(server.out()).contains("API for clients: https://petstore.example/shop/v1",
                            "Page: https://petstore.example/shop/");
                }
            }
        }
    }

    @Test
    void createsNoFirstKeyIfKeyIsConfigured() throws IOException {
        Map<String, String> environment = Map.of("PETSTORE_API_KEY", CONFIGURED_KEY);
        try (PetstoreProcess server = PetstoreProcess.serve(environment, folder).awaitReady()) {
            assertThat(server.firstKey()).isEmpty();
            assertThat(server.client(CONFIGURED_KEY).post(PET).statusCode()).isEqualTo(201);
            assertThat(server.client("").get("/v1/pets").statusCode()).isEqualTo(401);
            assertThat(Files.readString(Path.of("/proc/" + server.pid() + "/cmdline"))).contains("petstore.jar")
                    .doesNotContain(CONFIGURED_KEY);
        }
        Path file = Files.writeString(temporary.resolve("key"), CONFIGURED_KEY + "-in-a-file\n");
        environment = Map.of("PETSTORE_API_KEY_FILE", file.toString());
        try (PetstoreProcess server = PetstoreProcess.serve(environment, folder).awaitReady()) {
            assertThat(server.firstKey()).isEmpty();
            assertThat(server.client(CONFIGURED_KEY + "-in-a-file").get("/v1/pets").statusCode()).isEqualTo(200);
            assertThat(server.client(CONFIGURED_KEY).get("/v1/pets").statusCode()).isEqualTo(401);
            assertThat(String.join("", server.out())).doesNotContain(CONFIGURED_KEY);
            assertThat(server.err()).allMatch(line -> line.contains(" audit - refused 401 "));
        }
        try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady()) {
            assertThat(server.firstKey()).as("the store has no key, so one is created").isPresent();
        }
    }

    @Test
    void refusesFolderInUseByAnotherServer() {
        try (PetstoreProcess first = PetstoreProcess.serve(folder).awaitReady();
                PetstoreProcess second = PetstoreProcess.serve(folder)) {
            PetstoreProcess.Ending ending = second.ending();
            assertThat(ending.code()).isEqualTo(1);
            assertThat(ending.out()).isEmpty();
            assertThat(ending.err()).singleElement().asString().startsWith("petstore: ").contains(folder.toString(),
                    "process " + first.pid() + ", which serves http://127.0.0.1:" + first.port() + "/v1; ", "--data",
                    "--port");
            assertThat(first.client(first.firstKey().orElseThrow()).post(PET).statusCode()).isEqualTo(201);
        }
    }

    /// An API would say only that the store is unavailable.
    @Test
    void saysWhyKeysCannotBeRead() {
        CommandLines.run(folder, "keys", "create", "--name", "checkout");
        try (StoreFile store = new StoreFile(folder)) {
            store.text("DELETE FROM api_key_change RETURNING changes");
        }
        try (PetstoreProcess service = PetstoreProcess.serve(folder)) {
            Ending ending = service.ending();
            assertThat(ending.code()).isEqualTo(1);
            assertThat(ending.err()).singleElement().asString().startsWith("petstore: the store is unavailable")
                    .endsWith("the table api_key_change has lost its row; restore it from a backup");
        }
    }

    @Test
    void createsNoKeyIfPortIsInUse() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                PetstoreProcess server = PetstoreProcess.start(Map.of(), "serve", "--data", folder.toString(),
                        "--admin-port", "0", "--port", String.valueOf(taken.getLocalPort()))) {
            PetstoreProcess.Ending ending = server.ending();
            assertThat(ending.code()).isEqualTo(1);
            assertThat(ending.out()).isEmpty();
            assertThat(ending.err()).singleElement().asString().startsWith("petstore: ")
                    .contains("127.0.0.1:" + taken.getLocalPort()
                            + " (--host, --port): this port is in use; 'ss -ltnp' shows"
                            + " by which program: stop that one, or choose another port with --port");
        }
        try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady()) {
            assertThat(server.firstKey()).isPresent();
        }
    }

    @Test
    void namesServersInContract() {
        String base = "https://petstore.example/shop/v1";
        String staging = "https://staging.example:8443/v1";
        try (PetstoreProcess server = PetstoreProcess.serve(folder, "--base-url", base, "--staging-base-url", staging)
                .awaitReady()) {
            ApiClient client = server.client("");
            JsonNode servers = ServedContract
                    .json("[{\"url\":\"" + base + "\",\"description\":\"Production\"},{\"url\":\""
                            + staging + "\",\"description\":\"Staging\"}]");
            assertThat(ServedContract.yaml(client.get("/openapi.yaml").body()).get("servers")).isEqualTo(servers);
            assertThat(ServedContract.json(client.get("/openapi.json").body()).get("servers")).isEqualTo(servers);
        }
        try (PetstoreProcess server = PetstoreProcess.serve(folder, "--staging-base-url", staging).awaitReady()) {
            assertThat(ServedContract.json(server.client("").get("/openapi.json").body()).at("/servers/0/url").asText())
                    .isEqualTo("/v1");
        }
    }

    @Test
    void createsFilesThatOnlyOwnerCanAccess() throws IOException {
        folder = temporary.resolve("not/there/yet");
        try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady();
                Stream<Path> files = Files.list(folder)) {
            server.client(server.firstKey().orElseThrow()).post(PET);
            Map<String, String> permissions = files
                    .collect(Collectors.toMap(file -> file.getFileName().toString(), ServeIT::permissions));
            assertThat(permissions.keySet()).contains("petstore.db", "petstore.db-wal", "petstore.db-shm",
                    "petstore.lock");
            assertThat(permissions.values()).containsOnly("rw-------");
            assertThat(permissions(folder)).isEqualTo("rwx------");
        }
    }

    private static String permissions(Path file) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
