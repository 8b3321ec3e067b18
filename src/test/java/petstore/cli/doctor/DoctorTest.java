package petstore.cli.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import petstore.cli.Main;
import petstore.http.server.tls.TlsFiles;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.PgBouncer;
import petstore.testkit.PlainPostgres;
import petstore.testkit.ServedContract;
import petstore.testkit.TestCertificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/// `petstore doctor` on healthy, broken, missing and unreachable stores.
class DoctorTest {

    private static final String SECRET = "a-secret-of-the-operator";

    @TempDir
    private Path temporary;
    private Path folder;
    private final Map<String, String> environment = new TreeMap<>();

    @BeforeEach
    void chooseFolder() {
        folder = temporary.resolve("data");
        environment.put("PETSTORE_DATA", folder.toString());
    }

    private Ending doctor(String... more) {
        return CommandLines.ending(environment,
                Stream.concat(Stream.of("doctor"), Stream.of(more)).toArray(String[]::new));
    }

    private void assertFinding(int code, String pattern, String... more) {
        Ending ending = doctor(more);
        assertThat(ending.out()).as(ending.toString()).anyMatch(line -> line.matches(pattern));
        assertThat(ending.out()).allMatch(line -> line.matches("(ok|warn|fail) +[a-z]+.*"));
        assertThat(ending.code()).as(ending.toString()).isEqualTo(code);
        assertThat(ending.err()).isEmpty();
        assertThat(String.join("", ending.out())).doesNotContain(SECRET);
    }

    /// Returns all files of the test with their sizes and times, except those that SQLite itself needs to read a store.
    private List<String> files() throws IOException {
        List<String> files = new ArrayList<>();
        try (Stream<Path> all = Files.walk(temporary)) {
            for (Path file : all.sorted().filter(file -> !file.toString().matches(".*/(data|petstore\\.db-(wal|shm))"))
                    .toList()) {
                files.add(file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file));
            }
        }
        return files;
    }

    @Test
    void createsAndChangesNoFiles() throws IOException {
        assertFinding(0, "ok +folder +.*/data does not exist yet");
        assertFinding(0, "ok +aot cache +not used: started without the launcher");
        assertThat(temporary).isEmptyDirectory();
        CommandLines.run(folder, "keys", "create", "--name", "first");
        List<String> before = files();
        assertFinding(0, "ok +store +schema version [0-9]+, 0 MiB, log 0 MiB, all pages checked");
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void printsFindingsAsJson() {
        JsonNode findings = ServedContract.json(String.join("", doctor("--format", "json").out()));
        assertThat(findings).allMatch(finding -> finding.path("state").asText().equals("ok"))
                .anyMatch(finding -> finding.path("check").asText().equals("java")
                        && finding.path("finding").asText().startsWith(Runtime.version().toString())
                        && finding.path("advice").asText().isEmpty());
    }

    @Test
    void reportsBrokenStores() throws IOException {
        CommandLines.run(folder, "keys", "create", "--name", "first");
        Path file = folder.resolve("petstore.db");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertFinding(0, "warn +folder +.* is open to other users .*; chmod 700 .*");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(file, "This is not a database. ".repeat(500));
        assertFinding(1,
                "fail +store +the store .* cannot be opened: .*not a database.*; put a backup .*restore FILE'");
        Files.move(file, folder.resolve("gone"));
        Files.writeString(folder.resolve("petstore.db-wal"), "x");
        assertFinding(1, "fail +store +.*petstore.db-wal belongs to a store.*");
        Files.delete(folder.resolve("petstore.db-wal"));
        Files.createSymbolicLink(file, folder.resolve("gone"));
        assertFinding(1, "fail +store +.* is a symbolic link.*");
        assertFinding(1, "fail +store +.* is not a folder; choose another with --data", "--data",
                folder.resolve("gone").toString());
        Files.createSymbolicLink(temporary.resolve("link"), Path.of("nowhere"));
        assertThat(doctor("--data", temporary.resolve("link").toString())).satisfies(ending -> {
            assertThat(ending.code()).isEqualTo(Main.FAILED);
            assertThat(ending.err()).singleElement().asString().contains("link is a symbolic link to a missing folder");
        });
    }

    @Test
    void reportsInvalidCertificatesAndKeys() throws IOException {
        TestCertificate certificate = TestCertificate.ec();
        Path chain = Files.writeString(temporary.resolve("chain.pem"), certificate.certificate());
        Path key = Files.writeString(temporary.resolve("key.pem"), certificate.key());
        environment.put("PETSTORE_TLS_CERTIFICATE", chain.toString());
        environment.put("PETSTORE_TLS_KEY", key.toString());
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        assertFinding(0, "warn +tls key +.* can be read by every user; chmod .*");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        assertFinding(0, "(ok|warn) +tls certificate +valid until 20.*");
        Files.writeString(key, TestCertificate.ec().key());
        assertFinding(1, "fail +tls certificate +the key in .* does not belong to the certificate.*");
        Files.delete(key);
        assertFinding(1, "fail +tls certificate +.*key.pem \\(--tls-key\\) cannot be read.*");
        assertFinding(1, "fail +tls key +.*key.pem cannot be read; let the service's user read it");
        Files.writeString(key, certificate.key());
        Instant end = certificate.der().getNotAfter().toInstant();
        Map.of(end.plusSeconds(1), "fail", end.minusSeconds(1), "warn", end.minusSeconds(22 * 86_400), "ok",
                certificate.der().getNotBefore().toInstant().minusSeconds(1), "fail")
                .forEach((now, state) -> assertThat(Check.run(new TlsChecks(new TlsFiles(chain, key), now).all())
                        .getFirst()).as(now.toString()).startsWith(state, "tls certificate"));
    }

    @Test
    void hidesSecrets() throws IOException {
        environment.put("PETSTORE_API_KEY", SECRET);
        environment.put("PETSTORE_DATABASE", "postgresql://keeper:" + SECRET + "@127.0.0.1:1/d");
        assertFinding(1,
                "fail +database +postgresql://keeper:\\*\\*\\*@127.0.0.1:1/d has no host that accepts writes.*");
    }

    /// The host accepts connections, but does not respond. Later its accept queue is full: it looks like an unreachable machine.
    @Test
    @Timeout(35)
    @Execution(ExecutionMode.CONCURRENT)
    void limitsWaitForSilentDatabase() throws IOException {
        List<Socket> sockets = new ArrayList<>();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            environment.put("PETSTORE_DATABASE",
                    "postgresql://u@127.0.0.1:" + silent.getLocalPort() + "/d?connect_timeout=60");
            assertFinding(1, "fail +database +127.0.0.1:[0-9]+: .*");
            while (connects(silent, sockets)) {
                assertThat(sockets).hasSizeLessThan(1_000);
            }
            assertFinding(1, "fail +database +no result within 12 s; see that its disk or host responds");
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static boolean connects(ServerSocket server, List<Socket> sockets) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        try {
            socket.connect(server.getLocalSocketAddress(), 200);
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    @Test
    void describesADatabase() throws Exception {
        try (PlainPostgres postgres = new PlainPostgres(temporary.resolve("postgresql"))) {
            environment.put("PETSTORE_DATABASE", postgres.url());
            assertFinding(0, "ok +database +.*, schema version 0, which --migrate auto makes [0-9]+");
            assertThat(postgres.query("SELECT count(*) FROM information_schema.tables"
                    + " WHERE table_schema = 'public'")).containsExactly("0");
            assertThat(CommandLines.ending(environment, "keys", "create", "--name", "x").code()).isZero();
            assertFinding(0, "ok +database +127.0.0.1:[0-9]+: PostgreSQL [0-9.]+, primary, [0-9]+ connections at most,"
                    + " schema version [1-9][0-9]*");
            assertFinding(0, "warn +database +.* max_connections is too low for --database-readers 900; .*",
                    "--database-readers", "900");
            assumeThat(PgBouncer.program()).as("PgBouncer is installed").isPresent();
            Path pooler = Files.createDirectory(temporary.resolve("pooler"));
            try (PgBouncer session = new PgBouncer(pooler, postgres.url(), "session")) {
                environment.put("PETSTORE_DATABASE", session.url());
                assertFinding(0, "ok +database +.*, behind a pooler that keeps sessions apart");
            }
            // The same port number on another address, like a pooler in another container.
            try (PgBouncer other = new PgBouncer(pooler, postgres.url(), "session", "127.0.0.2")) {
                environment.put("PETSTORE_DATABASE", other.url());
                assertFinding(0, "ok +database +127.0.0.2:.*, behind a pooler .*");
            }
            try (PgBouncer shared = new PgBouncer(pooler, postgres.url(), "transaction")) {
                environment.put("PETSTORE_DATABASE", shared.url());
                assertFinding(1, "fail +database +.*no server connection of its own.*pool_mode = session.*");
            }
        }
    }

    /// Wrong settings end each command in the same words.
    @Test
    void refusesSameUsageAsServe() {
        assertThat(doctor("--port", "9", "--admin-port", "9").code()).isEqualTo(Main.WRONG_USAGE);
        assertThat(doctor("--tls-key", "x").code()).isEqualTo(Main.WRONG_USAGE);
    }
}
