package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.store.sqlite.FolderLock;
import petstore.testkit.ApiClient;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.Tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/// The service under limits of processes and of open files. It works, or its start fails at once with a message that names the limit.
class LimitsIT {

    private static final int FIRST_USER = 61_000;
    private static final int ANOTHER_USER = 60_999;
    private static final String PET = "{\"name\":\"Rex\",\"categoryId\":1}";

    private static final List<String> PATHS = List.of("/v1/pets", "/readyz", "/docs", "/openapi.json", "/livez");

    @TempDir
    private Path folder;

    /// The limit does not apply to root. Each value has its own user, because processes of an earlier value may still count.
    @ParameterizedTest
    @ValueSource(ints = {14, 20, 24, 28, 32, 36, 40, 44, 48, 64})
    void worksOrNamesProcessLimit(int limit) throws IOException {
        List<String> starter = new ArrayList<>(asUser(FIRST_USER + limit));
        starter.addAll(List.of("prlimit", "--nproc=" + limit));
        assertWorksOrNames("limit of processes", starter);
    }

    /// Other programs of the user can reach the limit while the service runs. Its responses then name the limit. When the limit is
    /// raised, the service works again.
    @Test
    void refusesRequestsWhileProcessLimitIsReached() throws IOException {
        List<String> user = asUser(ANOTHER_USER);
        try (PetstoreProcess server = PetstoreProcess.serveThrough(user, folder.resolve("data")).awaitReady()) {
            PetstoreProcess.execute(user, "prlimit", "--nproc=1:", "--pid", String.valueOf(server.pid()));
            ApiClient client = server.client(server.firstKey().orElseThrow());
            for (String path : PATHS) {
                assertThat(client.get(path).statusCode()).as(path).isIn(200, 503);
            }
            assertThat(client.post(PET).body()).contains("limit of processes");
            PetstoreProcess.execute(user, "prlimit", "--nproc=1000:", "--pid", String.valueOf(server.pid()));
            assertWorksAndStops(server);
        }
    }

    /// Returns the command prefix that runs a command as another user. Skips the test if this is not possible.
    private List<String> asUser(int user) throws IOException {
        assumeThat(Tools.isInstalled("setpriv") && Tools.isInstalled("prlimit")
                && "root".equals(System.getProperty("user.name")))
                .as("root can limit another user").isTrue();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        return List.of("setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups");
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 50, 75, 90, 100, 120, 150, 200})
    void worksOrNamesOpenFileLimit(int limit) {
        assumeThat(Tools.isInstalled("prlimit")).as("prlimit is installed").isTrue();
        assertWorksOrNames("limit of open files", List.of("prlimit", "--nofile=" + limit));
    }

    private void assertWorksOrNames(String limit, List<String> starter) {
        Path data = folder.resolve("data");
        try (PetstoreProcess server = PetstoreProcess.serveThrough(starter, data)) {
            if (server.readyOrEnded()) {
                assertWorksAndStops(server);
            } else {
                assertThat(server.ending().code()).isEqualTo(1);
                assertThat(server.out()).isEmpty();
                assertThat(server.err()).singleElement().asString().startsWith("petstore: ").contains(limit, "raise");
            }
        }
        FolderLock.serve(data).close();
    }

    private static void assertWorksAndStops(PetstoreProcess server) {
        ApiClient client = server.client(server.firstKey().orElseThrow());
        for (String path : PATHS) {
            assertThat(client.get(path).statusCode()).as(path).isEqualTo(200);
        }
        assertThat(client.post(PET).statusCode()).isEqualTo(201);
        server.terminate();
        assertThat(server.ending().code()).isZero();
    }
}
