package petstore.cli.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import petstore.http.server.ServerSettings;
import petstore.http.server.tls.TlsFiles;
import petstore.store.sqlite.FolderLock;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.PgBouncer;
import petstore.testkit.PlainPostgres;
import petstore.testkit.ServedContract;
import petstore.testkit.StoreFile;
import petstore.testkit.TestCertificate;
import petstore.testkit.TestService;
import petstore.testkit.TestSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/// `petstore doctor` on healthy, broken, missing and unreachable stores.
class DoctorTest {

    private static final String SECRET = "a-secret-of-the-operator";

    @TempDir
    private Path temporary;
    private Path folder;
    private final Map<String, String> environment = new TreeMap<>(
            Map.of("PETSTORE_PORT", "0", "PETSTORE_ADMIN_PORT", "0"));

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
        assertFinding(0, "ok +folder +.*/data does not exist; the first start makes it");
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
        FileTime changed = Files.getLastModifiedTime(file);
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(3_600)));
        assertFinding(0, "warn +store +.* was changed later than now; set the clock .*");
        Files.setLastModifiedTime(file, changed);
        try (StoreFile store = new StoreFile(folder)) {
            store.execute("DELETE FROM schema_version");
            store.execute("INSERT INTO schema_version VALUES (7)");
        }
        assertFinding(1, "fail +store +the store has schema version 7, older than any release; .*");
        Files.writeString(file, "This is not a database. ".repeat(500));
        assertFinding(1,
                "fail +store +the store .* cannot be opened: .*not a database.*; put a backup .*restore FILE'");
        Files.move(file, folder.resolve("gone"));
        Files.writeString(folder.resolve("petstore.db-wal"), "x");
        assertFinding(1, "fail +store +.*petstore.db-wal belongs to a store.*");
        Files.delete(folder.resolve("petstore.db-wal"));
        Files.createSymbolicLink(file, folder.resolve("gone"));
        assertFinding(1, "fail +store +.* is a symbolic link.*");
        assertFinding(1, "fail +folder +.* is not a folder; choose another with --data", "--data",
                folder.resolve("gone").toString());
        Files.createSymbolicLink(temporary.resolve("link"), Path.of("nowhere"));
        assertFinding(1, "fail +store +.*link is a symbolic link to a missing folder.*", "--data",
                temporary.resolve("link").toString());
    }

    @Test
    void reportsProgramThatUsesPort() throws IOException {
        try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertFinding(1, "fail +api port +127.0.0.1:[0-9]+ is in use by another program \\(process "
                    + ProcessHandle.current().pid() + ", java\\); stop that one, or choose another with --port",
                    "--port",
                    String.valueOf(used.getLocalPort()));
        }
        assertFinding(1, "fail +admin port +the host none.invalid is unknown; .*--admin-host", "--admin-host",
                "none.invalid");
        try (TestService service = TestService.start(temporary.resolve("other"))) {
            assertFinding(1, "fail +api port +.* in use by a petstore that is ready .* serves another store; .*",
                    "--port", String.valueOf(service.port()));
        }
    }

    @Test
    void recognisesServerOfItsFolder() throws IOException {
        String pid = String.valueOf(ProcessHandle.current().pid());
        try (ServerSocket hung = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(ports(hung.getLocalPort(), 0)).first().isEqualTo(Finding.fail("api port",
                    "127.0.0.1:" + hung.getLocalPort() + " is in use by the petstore that serves this folder (process "
                            + pid + "), which does not answer",
                    "see its log, and restart it"));
        }
        try (TestService service = TestService.start(temporary.resolve("other"))) {
            assertThat(ports(service.port(), service.adminPort())).allMatch(each -> each.state() == Finding.State.OK);
            assertThat(ports(service.adminPort(), service.port())).allMatch(each -> each.state() == Finding.State.FAIL)
                    .extracting(Finding::text).satisfiesExactly(
                            api -> assertThat(api).endsWith(" (process " + pid + "), for its admin listener"),
                            admin -> assertThat(admin).endsWith(" (process " + pid + "), for its API"));
            assertThat(PortUser.find("::", service.port()).isPetstore()).isTrue();
        }
    }

    /// Returns the findings for these ports, if this process is the server of the folder.
    private static List<Finding> ports(int port, int adminPort) {
        ServerSettings free = new TestSettings().server();
        return Check.run(new ServerChecks(
                new ServerSettings(free.host(), port, free.adminHost(), adminPort, free.deadlines(),
                        free.maxConnections(), free.shutdownDelay(), free.proxies(), free.tls()),
                Optional.of(new FolderLock.Owner(String.valueOf(ProcessHandle.current().pid()), "")), false).ports());
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
        assertFinding(1, "fail +tls +the key in .* does not belong to the certificate.*");
        Files.delete(key);
        assertFinding(1, "fail +tls +.*key.pem \\(--tls-key\\) cannot be read.*");
        Files.writeString(key, certificate.key());
        Instant end = certificate.der().getNotAfter().toInstant();
        Map.of(end.plusSeconds(1), "FAIL", end.minusSeconds(1), "WARN", end.minusSeconds(22 * 86_400), "OK",
                certificate.der().getNotBefore().toInstant().minusSeconds(1), "FAIL")
                .forEach((now, state) -> assertThat(ServerChecks.tls(new TlsFiles(chain, key), now).getFirst().state())
                        .as(now.toString()).isEqualTo(Finding.State.valueOf(state)));
    }

    @Test
    void hidesSecrets() throws IOException {
        environment.put("PETSTORE_API_KEY", SECRET);
        environment.put("PETSTORE_DATABASE", "postgresql://keeper:" + SECRET + "@127.0.0.1:1/d");
        assertFinding(1,
                "fail +database +postgresql://keeper:\\*\\*\\*@127.0.0.1:1/d has no host that accepts writes.*");
        environment.remove("PETSTORE_API_KEY");
        environment.put("PETSTORE_API_KEY_FILE", "/none/of/these");
        assertFinding(1, "fail +api key +PETSTORE_API_KEY_FILE cannot be read: /none/of/these.*");
        environment.put("PETSTORE_API_KEY_FILE", Files.writeString(temporary.resolve("short"), "x").toString());
        assertFinding(1, "fail +api key +PETSTORE_API_KEY_FILE must be at least 16 characters.*");
        environment.remove("PETSTORE_API_KEY_FILE");
        environment.put("PETSTORE_DATABASE_PASSWORD_FILE", "/none/of/these");
        assertFinding(1, "fail +store +PETSTORE_DATABASE_PASSWORD_FILE cannot be read: /none/of/these.*");
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
            assertFinding(1, "fail +host +127.0.0.1:[0-9]+: .*");
            while (connects(silent, sockets)) {
                assertThat(sockets).hasSizeLessThan(1_000);
            }
            assertFinding(1, "fail +store +no result within 12 s; see that its disk or host responds");
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
            assertFinding(0, "ok +schema +.* there are no tables yet; the first start makes them");
            assertThat(postgres.query("SELECT count(*) FROM information_schema.tables"
                    + " WHERE table_schema = 'public'")).containsExactly("0");
            assertThat(CommandLines.ending(environment, "keys", "create", "--name", "x").code()).isZero();
            assertFinding(0, "ok +schema +schema version [0-9]+, on 127.0.0.1:.*");
            assertFinding(0, "ok +host +127.0.0.1:[0-9]+: PostgreSQL [0-9.]+, primary, [0-9]+ connections at most");
            assertFinding(0, "ok +pooler +.*: none");
            assertFinding(0, "warn +connections +.* max_connections is too low for --database-readers 900; .*",
                    "--database-readers", "900");
            assumeThat(PgBouncer.program()).as("PgBouncer is installed").isPresent();
            Path pooler = Files.createDirectory(temporary.resolve("pooler"));
            try (PgBouncer session = new PgBouncer(pooler, postgres.url(), "session")) {
                environment.put("PETSTORE_DATABASE", session.url());
                assertFinding(0,
                        "ok +pooler +.* a pooler passes on the connection, and keeps sessions apart");
            }
            // The same port number on another address, like a pooler in another container.
            try (PgBouncer other = new PgBouncer(pooler, postgres.url(), "session", "127.0.0.2")) {
                environment.put("PETSTORE_DATABASE", other.url());
                assertFinding(0, "ok +pooler +127.0.0.2:.* a pooler passes on the connection.*");
            }
            try (PgBouncer shared = new PgBouncer(pooler, postgres.url(), "transaction")) {
                environment.put("PETSTORE_DATABASE", shared.url());
                assertFinding(1, "fail +host +.*no server connection of its own.*pool_mode = session.*");
            }
        }
    }

    @Test
    void refusesSameUsageAsServe() {
        assertThat(doctor("--port", "9", "--admin-port", "9").code()).isEqualTo(Main.WRONG_USAGE);
        assertThat(doctor("--tls-key", "x").code()).isEqualTo(Main.WRONG_USAGE);
    }
}
