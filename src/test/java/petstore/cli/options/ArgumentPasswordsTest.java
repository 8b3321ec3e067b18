package petstore.cli.options;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.cli.Main;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess.Ending;

import static org.assertj.core.api.Assertions.assertThat;

/// Passwords in arguments, which are refused and not repeated: the process list shows arguments to everybody.
class ArgumentPasswordsTest {

    private static void assertRefused(String option, String... arguments) {
        assertThat(CommandLines.ending(Map.of(), arguments)).isEqualTo(new Ending(Main.WRONG_USAGE, List.of(),
                List.of("petstore: " + option + " must not hold a password, because everybody can read arguments;"
                        + " set PETSTORE_DATABASE_PASSWORD, or "
                        + (option.equals("--to") ? "PETSTORE_TO" : "PETSTORE_DATABASE") + " to the whole address")));
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
            Ending ending = CommandLines.ending(Map.of(), line);
            assertThat(ending.code()).isEqualTo(Main.WRONG_USAGE);
            assertThat(ending.err().getFirst()).containsAnyOf("unknown", "unexpected").doesNotContain("geheim");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgresql://u@h:5432/d", "postgres://", "postgresql://u:@h/d",
            "postgresql://us%40er@one:1,[::1]:2/d",
            "postgresql://h:5432/d?application_name=a%40b", "postgresql://h/d?options=-c%20x%3Dy",
            "postgresql://h/password"})
    void acceptsAddressesWithoutPassword(String address) {
        assertThat(CommandLines.ending(Map.of(), "config", "--database", address).err()).isEmpty();
    }

    @Test
    void acceptsPasswordInVariablesAndOtherOptions() {
        Ending ending = CommandLines.ending(
                Map.of("PETSTORE_DATABASE", "postgresql://u:geheim@h/d?sslpassword=geheim"), "config", "--data",
                "a:b@c password=x");
        assertThat(ending.code()).as(ending.toString()).isZero();
        assertThat(String.join("", ending.out())).contains("postgresql://u:***@h").doesNotContain("geheim");
    }
}
