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

/// Limits of processes and of open files: the service works within them, or its start ends at once and names the limit.
class LimitsIT {

    private static final int FIRST_USER = 61_000;
    private static final int ANOTHER_USER = 60_999;
    private static final String PET = "{\"name\":\"Rex\",\"categoryId\":1}";

    private static final List<String> PATHS = List.of("/v1/pets", "/readyz", "/docs", "/openapi.json", "/livez");

    @TempDir
    private Path folder;

    /// Limits hold for users other than root. Each value has a user of its own, because processes that end still count.
    @ParameterizedTest
    @ValueSource(ints = {14, 20, 24, 28, 32, 36, 40, 44, 48, 64})
    void tooFewProcessesEndTheStart(int most) throws IOException {
        List<String> starter = new ArrayList<>(as(FIRST_USER + most));
        starter.addAll(List.of("prlimit", "--nproc=" + most));
        worksOrNames("limit of processes", starter);
    }

    /// A service that has lost its share of the limit to other programs says so, and serves when it has it again.
    @Test
    void tooFewProcessesLaterRefuseRequests() throws IOException {
        List<String> user = as(ANOTHER_USER);
        try (PetstoreProcess server = PetstoreProcess.serveBy(user, folder.resolve("data")).awaitReady()) {
            PetstoreProcess.execute(user, "prlimit", "--nproc=1:", "--pid", String.valueOf(server.pid()));
            ApiClient client = server.client(server.firstKey().orElseThrow());
            for (String path : PATHS) {
                assertThat(client.get(path).statusCode()).as(path).isIn(200, 503);
            }
            assertThat(client.post(PET).body()).contains("limit of processes");
            PetstoreProcess.execute(user, "prlimit", "--nproc=1000:", "--pid", String.valueOf(server.pid()));
            worksAndStops(server);
        }
    }

    /// Returns the words before a command that run it as another user, or leaves the test out.
    private List<String> as(int user) throws IOException {
        assumeThat(Tools.have("setpriv") && Tools.have("prlimit") && "root".equals(System.getProperty("user.name")))
                .as("root can limit another user").isTrue();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        return List.of("setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups");
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 50, 75, 90, 100, 120, 150, 200})
    void tooFewFilesEndTheStart(int most) {
        assumeThat(Tools.have("prlimit")).as("there is prlimit").isTrue();
        worksOrNames("limit of open files", List.of("prlimit", "--nofile=" + most));
    }

    private void worksOrNames(String limit, List<String> starter) {
        Path data = folder.resolve("data");
        try (PetstoreProcess server = PetstoreProcess.serveBy(starter, data)) {
            if (server.readyOrEnded()) {
                worksAndStops(server);
            } else {
                assertThat(server.ending().code()).isEqualTo(1);
                assertThat(server.out()).isEmpty();
                assertThat(server.err()).singleElement().asString().startsWith("petstore: ").contains(limit, "raise");
            }
        }
        FolderLock.serve(data).close();
    }

    private static void worksAndStops(PetstoreProcess server) {
        ApiClient client = server.client(server.firstKey().orElseThrow());
        for (String path : PATHS) {
            assertThat(client.get(path).statusCode()).as(path).isEqualTo(200);
        }
        assertThat(client.post(PET).statusCode()).isEqualTo(201);
        server.terminate();
        assertThat(server.ending().code()).isZero();
    }
}
