package petstore.cli.options;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.cli.Main;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess.Ending;

import static org.assertj.core.api.Assertions.assertThat;

/// The error message for an invalid setting: one line with the setting and the reason, without a secret.
class SettingsTest {

    private static final String PASSWORD_SETTING = "PETSTORE_DATABASE_PASSWORD_FILE";

    @TempDir
    private Path folder;

    private static String refusal(int code, Map<String, String> environment, String... line) {
        Ending ending = CommandLines.ending(environment, line);
        assertThat(ending.code()).as(ending.toString()).isEqualTo(code);
        assertThat(ending.out()).isEmpty();
        assertThat(ending.err()).singleElement().asString().doesNotContain("geheim").startsWith("petstore: ");
        return ending.err().getFirst();
    }

    @ParameterizedTest
    @CsvSource(delimiterString = " | ", textBlock = """
            petstore.example/v1               | it must begin with https:// or http://
            ftp://petstore.example/v1         | it must begin with https:// or http://
            https:/petstore.example/v1        | it must begin with https:// or http://
            https://u:geheim@h/v1             | it must not have a user or a password
            https://geheim@h/v1               | it must not have a user or a password
            https://u:ge@heim@h/v1            | it must not have a user or a password
            https://h/v1?key=geheim           | it must not have a query
            https://h?key=geheim/v1           | it must not have a query
            https://h/v1?                     | it must not have a query
            https://h/v1#geheim               | it must not have a fragment
            https:///v1                       | its host must be letters, digits, hyphens and dots, or an IP address
            https://:443/v1                   | its host must be letters, digits, hyphens and dots, or an IP address
            https://a%41/v1                   | its host must be letters, digits, hyphens and dots, or an IP address
            https://[fe80::1%25eth0]/v1       | its host must be letters, digits, hyphens and dots, or an IP address
            https://[::1]x/v1                 | its port must be a number from 1 to 65535
            https://h:x/v1                    | its port must be a number from 1 to 65535
            https://h                         | it must end in /v1
            https://h/v1/                     | it must end in /v1
            https://h/v2                      | it must end in /v1
            https://h/xv1                     | it must end in /v1
            https://h/a b/v1                  | its path has characters that a URL cannot have
            https://u:1/geheim@h/v1           | each @ of its path must be written as %40
            https://h/%zz/v1                  | its path has characters that a URL cannot have""")
    void refusesInvalidBaseUrls(String url, String reason) {
        for (String option : new String[]{"--base-url", "--staging-base-url"}) {
            String expected = option + ": " + reason + " (see ";
            assertThat(refusal(Main.WRONG_USAGE, Map.of(), "config", option, url)).startsWith("petstore: " + expected);
            String variable = Variables.name(option);
            assertThat(refusal(Main.WRONG_USAGE, Map.of(variable, url), "config"))
                    .startsWith("petstore: " + variable + " (" + expected.replaceFirst(":", "):"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://petstore.example/v1", "HTTP://h/v1", "http://[::ffff:127.0.0.1]:8080/v1",
            "https://[v1.a]/v1", "https://h:/v1", "https://h:65535/a%20b/v1", "https://127.0.0.1/a%40b/v1"})
    void acceptsValidBaseUrls(String url) {
        assertThat(CommandLines.ending(Map.of(), "config", "--base-url", url).err()).isEmpty();
    }

    /// Secrets have no example value, because somebody would use it.
    @Test
    void acceptsExampleConfiguration() throws IOException {
        Map<String, String> examples = Files.readAllLines(Path.of("deploy/petstore.env")).stream()
                .filter(line -> line.startsWith("#PETSTORE_")).map(line -> line.substring(1).split("=", 2))
                .collect(Collectors.toMap(setting -> setting[0], setting -> setting[1]));
        List<String> secrets = List.of("PETSTORE_API_KEY", "PETSTORE_DATABASE_PASSWORD");
        assertThat(examples).containsEntry(secrets.getFirst(), "").containsEntry(secrets.getLast(), "");
        examples.keySet().removeAll(secrets);
        for (String secret : secrets) {
            assertThat(examples.remove(secret + "_FILE")).startsWith("/etc/petstore/");
        }
        assertThat(CommandLines.ending(examples, "config").err()).isEmpty();
        assertThat(examples).doesNotContainValue("");
    }

    @Test
    void refusesInvalidSecretFiles() throws IOException {
        for (String setting : new String[]{"PETSTORE_API_KEY_FILE", PASSWORD_SETTING}) {
            assertFile(Main.FAILED, setting, null, " cannot be read: FILE");
            for (String content : List.of("", " \n\n", "geheim-geheim-geheim\ngeheim\n",
                    "geheim-geheim-geheim\rgeheim")) {
                assertFile(Main.WRONG_USAGE, setting, content, " must name a file with one line, not 'FILE'");
            }
            assertFile(Main.FAILED, setting, "geheim-geheim-geheim\u00FF",
                    " cannot be read: FILE: it is not text in UTF-8");
        }
        assertFile(Main.WRONG_USAGE, "PETSTORE_API_KEY_FILE", "geheim\n",
                " must be at least 16 characters of visible ASCII without spaces");
        assertFile(Main.WRONG_USAGE, "PETSTORE_API_KEY_FILE", "geheim geheim geheim\n",
                " must be at least 16 characters of visible ASCII without spaces");
    }

    /// @param bytes the content of the file in ISO 8859-1; absent for no file
    private void assertFile(int code, String setting, @Nullable String bytes, String reason)
            throws IOException {
        Path file = folder.resolve("secret");
        Files.deleteIfExists(file);
        if (bytes != null) {
            Files.writeString(file, bytes, StandardCharsets.ISO_8859_1);
        }
        assertThat(refusal(code, Map.of(setting, file.toString()), "config", "--database", "postgresql://u@h/d"))
                .startsWith("petstore: " + setting + reason.replace("FILE", file.toString()));
    }

    /// An unescaped `@` ends a password too early. `/` and `?` may do the same.
    @ParameterizedTest
    @ValueSource(strings = {"postgresql://u:ge@heim@h/d", "postgresql://u:x@geheim@h/d", "postgresql://u:1/geheim@h/d",
            "postgresql://u:1?x=geheim@h/d", "postgresql://u:1?geheim=x@h/d", "postgresql://u:x#geheim@h/d",
            "postgresql://x@geheim@h/d", "postgresql://u:x@h/d?user=a@geheim"})
    void hidesEveryPartOfPassword(String address) {
        assertThat(refusal(Main.WRONG_USAGE, Map.of("PETSTORE_DATABASE", address), "config"))
                .contains("PETSTORE_DATABASE (--database): ");
        assertThat(refusal(Main.WRONG_USAGE, Map.of("PETSTORE_TO", address), "move")).contains("PETSTORE_TO (--to): ");
    }

    @Test
    void explainsHowToEscapeAtSign() {
        assertThat(refusal(Main.WRONG_USAGE, Map.of("PETSTORE_DATABASE", "postgresql://u:ge@heim@h/d"), "config"))
                .contains(
                        "the database's address cannot be used: write @ / ? in its user, password and parameters as %40 %2F %3F");
    }
}
