package petstore.cli;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.cli.terminal.Console;

import static org.assertj.core.api.Assertions.assertThat;

/// The texts of `--help`.
class HelpTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(Map<String, String> environment, String line) {
        return Main.run(Console.of(InputStream.nullInputStream(), out, err, false, environment, Clock.systemUTC()),
                line.split(" ", 0));
    }

    /// As one line, for a terminal of any width.
    private String help(Map<String, String> environment, String command) {
        assertThat(run(environment, command + " --help")).isZero();
        return out.toString(StandardCharsets.UTF_8).replaceAll("\\s+", " ");
    }

    /// The value of a variable may be a secret, and is not a default.
    @Test
    void showsDefaultsAndNoVariable() {
        String serve = help(Map.of("PETSTORE_PORT", "7000", "PETSTORE_DATABASE", "postgresql://u:secret@h/d"), "serve");
        assertThat(serve).contains("takes a free one. Default: 8080", "request's header block. Default: 10s",
                "every request: true or false. Default: true", "PETSTORE_ADMIN_PORT is for --admin-port")
                .doesNotContain("7000", "secret", "Default: []");
    }

    @ParameterizedTest
    @ValueSource(strings = {"keys create | 2027-01-31 (its beginning, midnight in UTC)",
            "keys list | table or json. Default: table", "import | ndjson or csv. Default: ndjson",
            "export | ndjson or csv. Default: ndjson", "healthcheck | admin listener. Default: 9090"})
    void showsWhatHoldsWithoutAnOption(String line) {
        String[] parts = line.split(" \\| ", 2);
        assertThat(help(Map.of(), parts[0])).contains(parts[1], "PETSTORE_ADMIN_PORT").doesNotContain("Optional",
                "Default: [", "Default: false");
    }

    @ParameterizedTest
    @ValueSource(strings = {"backup FILE", "restore FILE", "move --to postgresql://h/d"})
    void doesNotOfferWhatIsRefused(String line) {
        assertThat(help(Map.of(), line)).contains("--data=FOLDER").doesNotContain("--database");
        Stream.of(" --database postgresql://h/e", "").forEach(given -> {
            err.reset();
            assertThat(run(Map.of("PETSTORE_DATABASE", "postgresql://h/e"), line + given)).isEqualTo(Main.WRONG_USAGE);
            assertThat(err.toString(StandardCharsets.UTF_8))
                    .contains("this works on the embedded store, not on --database");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"serve", "keys create", "keys list", "keys rotate", "keys revoke", "import", "export",
            "backup", "restore", "move", "config", "healthcheck", "completion"})
    void everyCommandHasHelpWithAnExample(String command) {
        assertThat(run(Map.of(), command + " --help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("Usage: petstore " + command)
                .containsPattern("Example:\\R  .*petstore " + command);
        out.reset();
        assertThat(run(Map.of(), command + " --version")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("petstore ");
        assertThat(err.size()).isZero();
    }

    @Test
    void helpOfKeysNamesItsCommands() {
        assertThat(help(Map.of(), "keys")).startsWith("Usage: petstore keys ").contains("create", "list", "rotate",
                "revoke");
    }
}
