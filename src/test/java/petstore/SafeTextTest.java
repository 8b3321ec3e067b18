package petstore;

import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petstore.testkit.CommandLines;

import static org.assertj.core.api.Assertions.assertThat;

/// Hints with command lines, which name the program as it was called.
class SafeTextTest {

    private static final String PROPERTY = "petstore.command";

    @AfterEach
    void clearProgramName() {
        System.clearProperty(PROPERTY);
    }

    @Test
    void hintsNameProgramAsTyped() {
        assertThat(SafeText.command("keys list")).isEqualTo("petstore keys list");
        System.setProperty(PROPERTY, "/opt/my app/petstore");
        assertThat(SafeText.command("keys list")).isEqualTo("'/opt/my app/petstore' keys list");
        System.setProperty(PROPERTY, "./petstore");
        assertThat(CommandLines.ending(Map.of(), "keys").err()).singleElement().asString()
                .endsWith(" (see './petstore keys --help')");
        assertThat(CommandLines.ending(Map.of(), "keys", "list", "--data", "/none").err()).singleElement().asString()
                .endsWith("; './petstore serve' or './petstore keys create' makes one");
    }
}
