package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;

import static org.assertj.core.api.Assertions.assertThat;

/// `petstore doctor` beside a server, and after one was killed; `DoctorTest` has the rest.
class DoctorIT {

    private static final String PET = "{\"name\":\"Whiskers\",\"categoryId\":7}";

    @TempDir
    private Path folder;

    @Test
    void sparesARunningServerAndTheLogOfAKilledOne() throws IOException {
        try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady()) {
            String key = server.firstKey().orElseThrow();
            assertThat(server.client(key).post(PET).statusCode()).isEqualTo(201);
            Ending beside = doctor(server);
            assertThat(beside.code()).as(beside.toString()).isZero();
            String used = " is in use by a petstore that is ready \\(process " + server.pid() + "\\)";
            assertThat(beside.out()).anyMatch(line -> line.matches("ok +api port +127.0.0.1:[0-9]+" + used))
                    .anyMatch(line -> line.matches("ok +admin port +127.0.0.1:[0-9]+" + used))
                    .anyMatch(line -> line.matches("ok +store +schema version [0-9]+, .*; in use by process "
                            + server.pid() + ", which serves http://127.0.0.1:" + server.port() + "/v1"));
            assertThat(server.client(key).post(PET).statusCode()).isEqualTo(201);
            server.kill();
            server.ending();
            Path log = folder.resolve("petstore.db-wal");
            FileTime changed = Files.getLastModifiedTime(log);
            // After a reboot, another process may have the number; after a power cut, the file may have NULs.
            for (String owner : List.of(String.valueOf(server.pid()), String.valueOf(ProcessHandle.current().pid()),
                    "\0\0\0\0")) {
                Files.writeString(folder.resolve("petstore.lock"), owner);
                Ending after = doctor(server);
                assertThat(after.code()).as(after.toString()).isZero();
                assertThat(after.out()).anyMatch(line -> line.matches("warn +store +.* not opened, because the process"
                        + " that wrote its log was killed; the next start applies the log"))
                        .anyMatch(line -> line.matches("ok +api port +127.0.0.1:[0-9]+ is free"));
                assertThat(Files.getLastModifiedTime(log)).isEqualTo(changed);
            }
        }
        try (PetstoreProcess server = PetstoreProcess.serve(folder).awaitReady()) {
            assertThat(server.isAlive()).isTrue();
        }
    }

    /// A start that refuses to upgrade a schema, or is killed before, leaves a database without tables.
    @Test
    void aDatabaseWithoutTablesIsNoFault() {
        assertThat(PetstoreProcess.run("serve", "--migrate", "check", "--data", folder.toString()).code()).isOne();
        assertThat(folder.resolve("petstore.db")).isNotEmptyFile();
        Ending ending = PetstoreProcess.run("doctor", "--data", folder.toString(), "--port", "0", "--admin-port", "0");
        assertThat(ending.code()).as(ending.toString()).isZero();
        assertThat(ending.out())
                .anyMatch(line -> line.matches("ok +store +schema version 0, .*; the next start makes it"
                        + " version [0-9]+"));
    }

    private Ending doctor(PetstoreProcess server) {
        return PetstoreProcess.run("doctor", "--data", folder.toString(), "--port", String.valueOf(server.port()),
                "--admin-port", String.valueOf(server.adminPort()));
    }
}
