package petstore.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.testkit.CommandLines;

import static org.assertj.core.api.Assertions.assertThat;

/// The format of a file by its name. `WrongUsageTest` has the names without a known format.
class FileFormatTest {

    private static final String NDJSON = "{\"id\":1,\"name\":\"Rex\",\"categoryId\":2}\n";
    private static final String CSV = "id,name,categoryId,status\n1,Rex,2,\n";

    @TempDir
    private Path folder;

    @BeforeEach
    void addAnAnimal() throws IOException {
        Files.writeString(folder.resolve("first.ndjson"), NDJSON);
        run("import", "first.ndjson");
    }

    private void run(String command, String file, String... more) {
        CommandLines.run(folder.resolve("data"), Stream.concat(
                Stream.of(command, folder.resolve(file).toString()), Stream.of(more))
                .toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({"a.csv, true", "A.CSV, true", "a.ndjson, false", "a.jsonl, false", "a.csv.NDJSON, false"})
    void derivesFormatFromFileExtension(String name, boolean csv) throws IOException {
        run("export", name);
        assertThat(folder.resolve(name)).content().isEqualTo(csv ? CSV : NDJSON);
        run("import", name, "--dry-run");
    }

    @Test
    void prefersFormatOptionAndWritesNdjsonToStreams() throws IOException {
        run("export", "a.csv", "--format", "ndjson");
        assertThat(folder.resolve("a.csv")).content().isEqualTo(NDJSON);
        run("export", "b", "--format", "CSV");
        assertThat(folder.resolve("b")).content().isEqualTo(CSV);
        assertThat(CommandLines.ending(Map.of("PETSTORE_DATA", folder.resolve("data").toString()), "export", "-").out())
                .containsExactly(NDJSON.strip());
    }
}
