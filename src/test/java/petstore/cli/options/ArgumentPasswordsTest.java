package petstore.cli.options;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.cli.Main;
import petstore.cli.terminal.Console;

import static org.assertj.core.api.Assertions.assertThat;

/// Passwords in arguments, which are refused and not repeated: the process list shows arguments to everybody.
class ArgumentPasswordsTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(Map<String, String> environment, String... arguments) {
        return Main.run(Console.of(InputStream.nullInputStream(), out, err, false, environment, Clock.systemUTC()),
                arguments);
    }

    private void assertRefused(String option, String... arguments) {
        out.reset();
        err.reset();
        assertThat(run(Map.of(), arguments)).isEqualTo(Main.WRONG_USAGE);
        assertThat(out.size()).isZero();
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("petstore: " + option
                + " must not hold a password, because everybody can read arguments; set PETSTORE_DATABASE_PASSWORD, or "
                + (option.equals("--to") ? "PETSTORE_TO" : "PETSTORE_DATABASE") + " to the whole address\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgresql://u:geheim@h/d", "postgres://:geheim@h/d", "postgresql://u:g%65heim@h/d",
            "postgresql://u%3Ageheim@h/d", "postgresql://u%3ageheim%40h/d", "postgresql://u:ge@heim@h/d",
            "postgresql://u:1/geheim@h/d", "postgresql://u:1?x=geheim@h/d", "postgresql://u:x#geheim@h/d",
            "POSTGRESQL://u:geheim@h/d", "postgresql%3A//u:geheim@h/d", "postgresql:/u:geheim@h/d",
            "postgresql://h/d?password=geheim", "postgresql://h/d?sslmode=require&sslpassword=geheim",
            "postgresql://u@h/d?p%61ssword=geheim", "postgresql://h/d?sslp%61ssword%3Dgeheim",
            "postgresql://h/d%3Fpassword=geheim", "postgresql://h/d?PASSWORD=geheim",
            "postgresql://h/d?x=%&password=geheim",
            "jdbc:postgresql://h/d?user=u&password=geheim", " postgresql://u:geheim@h/d"})
    void refusesPasswordInAddressInAnySpelling(String address) {
        assertRefused("--database", "serve", "--database", address);
        assertRefused("--database", "keys", "list", "--database=" + address);
        assertRefused("--to", "move", "--to", address, "--help");
        assertRefused("--to", "move", "--to=" + address);
        assertRefused("--database", "export", "-", "--databse=" + address);
        assertRefused("--to", "move", address);
        assertRefused("--database", "--database", address, "config");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql://u:geheim@h/d", "u:geheim@h/d", "host=h password=geheim", "password = 'geheim'"})
    void refusesPasswordInOtherValues(String value) {
        assertRefused("--database", "config", "--database", value);
        assertRefused("--to", "move", "--to=" + value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--databse mysql://u:geheim@h/d", "--databse=host=h password=geheim",
            "--databse password=geheim",
            "-dpassword=geheim", "mysql://u:geheim@h/d", "password=geheim"})
    void hidesPasswordInUnknownOptionsAndArguments(String arguments) {
        for (String command : List.of("config", "keys", "move")) {
            String[] line = (command + " " + arguments).split(" ", 3);
            assertThat(run(Map.of(), line)).isEqualTo(Main.WRONG_USAGE);
            assertThat(err.toString(StandardCharsets.UTF_8)).containsAnyOf("unknown", "unexpected")
                    .doesNotContain("geheim");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgresql://u@h:5432/d", "postgres://", "postgresql://u:@h/d",
            "postgresql://us%40er@one:1,[::1]:2/d",
            "postgresql://h:5432/d?application_name=a%40b", "postgresql://h/d?options=-c%20x%3Dy",
            "postgresql://h/password"})
    void acceptsAddressesWithoutPassword(String address) {
        assertThat(run(Map.of(), "config", "--database", address)).as(err.toString(StandardCharsets.UTF_8)).isZero();
    }

    @Test
    void acceptsPasswordInVariablesAndOtherOptions() {
        assertThat(run(Map.of("PETSTORE_DATABASE", "postgresql://u:geheim@h/d?sslpassword=geheim"), "config")).isZero();
        assertThat(run(Map.of(), "config", "--data", "a:b@c password=x")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("postgresql://u:***@h").doesNotContain("geheim");
    }
}
