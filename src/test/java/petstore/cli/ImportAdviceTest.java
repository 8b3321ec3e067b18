package petstore.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.cli.terminal.Console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/// The advice of `import` for a file without an animal.
class ImportAdviceTest {

    @ParameterizedTest
    @CsvSource(delimiterString = " -> ", quoteCharacter = '`', textBlock = """
            name,categoryId\\nRex,1\\n -> is it CSV (--format csv), or compressed
            \uFEFFname,categoryId\\n -> is it CSV (--format csv), or compressed
            \\n [\\n{"name":"Rex","categoryId":1},\\n]\\n -> is it one array
            {"name":""}\\n -> ``
            \uFEFF{"name":"Rex","categoryId":1}\\n -> ``
            \\r\\n \\n{"name":""}\\n -> ``
            \uFEFF\\n -> ``
            \\n\\n -> ``""")
    void suggestsLikelyFormat(String file, String advice, @TempDir Path folder) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = Console.of(new ByteArrayInputStream(file.translateEscapes().getBytes(UTF_8)),
                OutputStream.nullOutputStream(), err, false, Map.of(), Clock.systemUTC());
        Main.run(console, "import", "-", "--dry-run", "--data", folder.resolve("none").toString());
        if (advice.isEmpty()) {
            assertThat(err.toString(UTF_8)).doesNotContain("no line is an animal");
        } else {
            assertThat(err.toString(UTF_8)).contains("no line is an animal: " + advice);
        }
    }
}
