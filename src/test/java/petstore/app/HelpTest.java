package petstore.app;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/// What `--help` tells of the options of a command.
class HelpTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(Map<String, String> environment, String line) {
        return Main.run(Console.of(InputStream.nullInputStream(), out, err, false, environment, Clock.systemUTC()),
                line.split(" ", 0));
    }

    /// As one line, whatever the width of a terminal.
    private String help(Map<String, String> environment, String command) {
        assertThat(run(environment, command + " --help")).isZero();
        return out.toString(StandardCharsets.UTF_8).replaceAll("\\s+", " ");
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
}
