package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;

import static org.assertj.core.api.Assertions.assertThat;

/// `petstore doctor` beside a running server, and after a server was killed; `DoctorTest` has the other cases.
class DoctorIT {

    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";

    @TempDir
    private Path folder;

    @Test
    void doesNotDisturbRunningServerOrLogOfKilledServer() throws IOException {
        String key;
        try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady()) {
            key = server.firstKey().orElseThrow();
            assertThat(server.client(key).post(PET).statusCode()).isEqualTo(201);
            Ending whileRunning = doctor();
            assertThat(whileRunning.code()).as(whileRunning.toString()).isZero();
            assertThat(whileRunning.out())
                    .anyMatch(line -> line.matches("ok +store +schema version [0-9]+, .*; in use by process "
                            + server.pid() + ", which serves http://127.0.0.1:" + server.port() + "/v1"));
            assertThat(server.client(key).post(PET).statusCode()).isEqualTo(201);
            server.kill();
            server.ending();
            Path log = folder.resolve("petstore.db-wal");
            FileTime changed = Files.getLastModifiedTime(log);
            // After a reboot, another process may have this process id. After a power cut, the file may contain NULs.
            for (String owner : List.of(String.valueOf(server.pid()), String.valueOf(ProcessHandle.current().pid()),
                    "\0\0\0\0")) {
                Files.writeString(folder.resolve("petstore.lock"), owner);
                Ending afterKill = doctor();
                assertThat(afterKill.code()).as(afterKill.toString()).isZero();
                assertThat(afterKill.out())
                        .anyMatch(line -> line.matches("ok +store +schema version [0-9]+, .*, all pages checked"));
                assertThat(Files.getLastModifiedTime(log)).isEqualTo(changed);
            }
        }
        try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady()) {
            assertThat(server.client(key).get("/v1/pets").body()).as("both animals").contains("\"id\":1,", "\"id\":2,");
        }
    }

    /// A start leaves a database without tables if it refuses to upgrade the schema, or is killed earlier.
    @Test
    void acceptsDatabaseWithoutTables() {
        assertThat(PetstoreProcess.run("serve", "--migrate", "check", "--data", folder.toString()).code()).isOne();
        assertThat(folder.resolve("petstore.db")).isNotEmptyFile();
        Ending ending = doctor();
        assertThat(ending.code()).as(ending.toString()).isZero();
        assertThat(ending.out()).anyMatch(line -> line.matches("ok +store +schema version 0, .*"));
    }

    private Ending doctor() {
        return CommandLines.ending(Map.of(), "doctor", "--data", folder.toString());
    }
}
