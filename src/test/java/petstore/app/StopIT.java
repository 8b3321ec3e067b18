package petstore.app;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/// The program being told to stop, by SIGTERM.
class StopIT {

    private static final String KEY = "a-key-for-the-test-that-stops";
    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";

    @TempDir
    private Path folder;

    @Test
    void answersTheRequestThatItHasBegunToRead() throws IOException, InterruptedException {
        try (PetstoreProcess server = serve(); RawClient client = new RawClient(server.port())) {
            client.send("POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + KEY
                    + "\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: " + PET.length()
                    + "\r\n\r\n");
            assertThat(client.answer().orElseThrow().status()).isEqualTo(100);
            server.terminate();
            awaitRefusal(server.port());
            client.send(PET.getBytes(StandardCharsets.UTF_8));
            assertThat(client.answer().orElseThrow().status()).isEqualTo(201);
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(server.ending().code()).isZero();
        }
        try (PetstoreProcess server = serve()) {
            assertThat(server.client(KEY).get("/v1/pets").body()).contains("Whiskers");
        }
    }

    @Test
    void answersTheRequestThatWaitsForTheStore() throws IOException, InterruptedException {
        try (PetstoreProcess server = serve();
                RawClient client = new RawClient(server.port());
                StoreFile file = new StoreFile(folder)) {
            file.execute("BEGIN IMMEDIATE");
            client.send("POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + KEY
                    + "\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: " + PET.length()
                    + "\r\n\r\n" + PET);
            assertThat(client.answer().orElseThrow().status()).isEqualTo(100);
            server.terminate();
            awaitRefusal(server.port());
            file.execute("COMMIT");
            assertThat(client.answer().orElseThrow().status()).isEqualTo(201);
            assertThat(server.ending().code()).isZero();
            assertThat(file.pets()).hasSize(1);
        }
    }

    @Test
    void idleConnectionsDoNotHoldItUp() throws IOException {
        Path temporary = Files.createDirectory(folder.resolve("temporary"));
        Map<String, String> environment = Map.of("PETSTORE_API_KEY", KEY, "PETSTORE_JAVA_OPTIONS",
                "-Djava.io.tmpdir=" + temporary);
        try (PetstoreProcess server = PetstoreProcess.serve(environment, folder).awaitReady();
                RawClient idle = new RawClient(server.port())) {
            assertThat(temporary).as("nothing that a kill would leave behind").isEmptyDirectory();
            idle.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(idle.answer().orElseThrow().status()).isEqualTo(200);
            Instant told = Instant.now();
            server.terminate();
            assertThat(server.ending().code()).isZero();
            assertThat(Duration.between(told, Instant.now())).isLessThan(Duration.ofSeconds(10));
        }
    }

    @Test
    void refusesNobodyAndKeepsEverythingUnderLoad() throws InterruptedException {
        Ledger ledger = new Ledger();
        try (PetstoreProcess server = serve()) {
            CountDownLatch loaded = new CountDownLatch(200);
            try (Load load = new Load(16, server.port(), KEY, ledger, loaded::countDown)) {
                assertThat(loaded.await(30, TimeUnit.SECONDS)).isTrue();
                server.terminate();
                server.ending();
                load.awaitEnd();
            }
            PetstoreProcess.Ending ending = server.ending();
            assertThat(ending.code()).isZero();
            assertThat(ending.err()).noneMatch(line -> line.contains(" ERROR "));
            assertThat(folder.resolve("petstore.db-wal")).as("moved into the file").doesNotExist();
        }
        assertThat(ledger.refused()).isZero();
        try (PetstoreProcess server = serve(); StoreFile file = new StoreFile(folder)) {
            ledger.verify(file.pets());
            assertThat(server.client(KEY).post(PET).statusCode()).isEqualTo(201);
        }
    }

    private PetstoreProcess serve() {
        return PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), folder).awaitReady();
    }

    /// Waits until nobody listens on the port.
    private static void awaitRefusal(int port) throws InterruptedException {
        Instant deadline = Instant.now().plusSeconds(30);
        while (Instant.now().isBefore(deadline)) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertThat(socket.isConnected()).isTrue();
                TimeUnit.MILLISECONDS.sleep(5);
            } catch (IOException e) {
                return;
            }
        }
        throw new AssertionError("still listening");
    }
}
