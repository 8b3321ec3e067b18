package petstore.cli;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.ApiKey;
import petstore.KeyToken;
import petstore.Scope;
import petstore.cli.terminal.Console;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.sqlite.Sqlite;
import petstore.testkit.ServedContract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/// Unprintable characters and API keys of any origin, which messages and tables must not show.
class SafeOutputTest {

    /// Control characters of both ranges, bidirectional overrides, separators, private and unassigned code points, a surrogate.
    private static final String UNPRINTABLE = "a\u001b[31m\u0007\t\r\n\u0085\u009b\u200e\u202e\u2066\u2028\u2029\ufeff\ue000"
            + "\u0378\udb40\udc01\ud800z";
    private static final KeyToken KEY = KeyToken.random();

    @TempDir
    private Path folder;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /// Returns command lines. `?` stands for the tested text.
    static Stream<String> lines() {
        return Stream.of("?", "keys ?", "--?", "serve --? x", "serve --port ?", "serve --host=? --port 1",
                "serve --idle-timeout ?", "serve --rate-limit ?", "serve --base-url ?", "serve --cors-origin ?",
                "serve --trusted-proxy ?", "serve --trusted-proxy-header ?",
                "serve --max-connections ?", "serve --access-log=?", "serve --database ?",
                "serve --database postgresql://?@localhost/x?y=1", "serve --tls-certificate ? --tls-key ?",
                "serve ?", "config --port ?", "config --data ?", "keys create --name x --scope ?",
                "keys create --name ?",
                "keys create --name x --expires-in ?", "keys create --name x --expires-at ?", "keys list --data ?",
                "keys list --format ?", "keys revoke ?", "keys rotate ?", "keys revoke Bearer ?", "keys rotate 1 --?",
                "import ?", "import - --format ?", "import x ?", "export ? --data ?", "backup ?", "backup /?/x",
                "restore ?", "move --to ?", "healthcheck --admin-host ?", "healthcheck --admin-port ?",
                "completion ?", "import x.ndjson --data ?", "--verbose import ?", "--verbose backup /?/x");
    }

    @ParameterizedTest
    @MethodSource("lines")
    void escapesControlCharacters(String line) {
        run(Map.of(), line, UNPRINTABLE);
        assertPrintable();
    }

    @ParameterizedTest
    @MethodSource("lines")
    void redactsKeys(String line) {
        for (String pasted : List.of(KEY.text(), "Bearer " + KEY.text())) {
            run(Map.of(), line, pasted);
            assertNoKey();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PETSTORE_?", "PETSTORE_PORT", "PETSTORE_DATABASE", "PETSTORE_CORS_ORIGIN",
            "PETSTORE_LOG_FORMAT", "PETSTORE_API_KEY_FILE", "PETSTORE_DATABASE_PASSWORD_FILE", "PETSTORE_DATA"})
    void escapesVariablesAndRedactsTheirKeys(String variable) {
        for (String line : List.of("config", "serve --port 0 --max-connections 0")) {
            run(Map.of(variable.replace("?", UNPRINTABLE), UNPRINTABLE), line, "");
            assertPrintable();
            run(Map.of(variable.replace("?", KEY.text()), KEY.text()), line, "");
            assertNoKey();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"keys revoke", "keys rotate"})
    void explainsWhichPartOfPastedKeyIsId(String command) {
        String whole = KEY.text();
        for (String pasted : List.of(whole, whole.substring(0, 49), whole + "1234", "Bearer " + whole,
                "bearer  " + whole, " " + whole + "\n", whole.substring(0, 30) + "-" + whole.substring(31))) {
            assertThat(run(Map.of(), command + " ?", pasted)).isEqualTo(Main.WRONG_USAGE);
            assertThat(err.toString(UTF_8)).as(pasted).contains("the id is the 10 characters after pets_")
                    .doesNotContain(KEY.id(), whole.substring(15, 29));
        }
        assertThat(run(Map.of(), command + " ?", whole.substring(0, 48))).isEqualTo(Main.FAILED);
        run(Map.of(), command + " Bearer ?", whole);
        assertThat(err.toString(UTF_8)).contains("the id is the 10 characters after pets_");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\u00a0\u2003", "a\"b", "a=b", "a\\b", "a\nb", "a\u001b", "a\u0085", "a\u202eb",
            "a\u2028b",
            "a\u200db", "\ue000", "\u0378", "\ud800", "pets_"})
    void refusesInvalidNames(String name) {
        String given = name.equals("pets_") ? "my " + KEY.text() : name;
        assertThat(run(Map.of(), "keys create --name=?", given)).isEqualTo(Main.WRONG_USAGE);
        assertThat(err.toString(UTF_8)).contains("--name must be 1 to 64 printable characters");
        assertPrintable();
    }

    @Test
    void acceptsNamesOfUpTo64CodePoints() {
        for (String name : List.of("x", "Checkout (Zürich) №1 'a' 店", "🐈".repeat(64))) {
            assertThat(run(Map.of(), "keys create --name ?", name)).as(err.toString(UTF_8)).isZero();
        }
        assertThat(run(Map.of(), "keys create --name ?", "🐈".repeat(65))).isEqualTo(Main.WRONG_USAGE);
    }

    @Test
    void escapesNamesOfOlderStores() {
        try (SqlStore store = SqlStore
                .of(Sqlite.forCommand(folder.resolve("data"), SchemaPolicy.AUTO, StoreAccess.CREATE))) {
            for (String name : List.of(UNPRINTABLE.replace("\ud800", ""), "a\"b=c\\d", KEY.text())) {
                store.keys().add(ApiKey.issued(KeyToken.random(), name, Set.of(Scope.READ),
                        Instant.ofEpochSecond(name.length()), Optional.empty(), Optional.empty()));
            }
        }
        run(Map.of(), "keys list", "");
        assertPrintable();
        assertNoKey();
        assertThat(out.toString(UTF_8).lines()).hasSize(4);
        assertThat(out.toString(UTF_8)).contains("a\\u001b[31m\\u0007", "[API key]", "a\\u0022b\\u003dc\\u005cd");
        run(Map.of(), "keys list --format json", "");
        assertPrintable();
        assertNoKey();
        assertThat(ServedContract.json(out.toString(UTF_8)).findValuesAsText("name"))
                .contains(UNPRINTABLE.replace("\ud800", ""), "a\"b=c\\d", "[API key]");
    }

    @Test
    void escapesContentOfFiles() throws Exception {
        Path file = Files.writeString(folder.resolve("a.csv"),
                "sep=" + UNPRINTABLE.replace("\ud800", "") + KEY.text() + "\n");
        run(Map.of(), "import ? --format csv", file.toString());
        assertPrintable();
        assertNoKey();
    }

    private int run(Map<String, String> environment, String line, String text) {
        out.reset();
        err.reset();
        Console console = Console.of(InputStream.nullInputStream(), out, err, false, environment, Clock.systemUTC());
        String[] words = Arrays.stream((line.contains("--data") || line.contains("config") || line.equals("?")
                || line.startsWith("--") || line.startsWith("completion") || line.startsWith("healthcheck")
                        ? line
                        : line + " --data " + folder.resolve("data"))
                .split(" "))
                .map(word -> word.replace("?", text)).toArray(String[]::new);
        return Main.run(console, words);
    }

    private void assertPrintable() {
        // Stack traces are indented by tabs.
        String output = (out.toString(UTF_8) + err.toString(UTF_8)).replaceAll("(?m)^\t", "");
        assertThat(output).isNotEmpty();
        assertThat(output.codePoints().filter(c -> c != '\n' && (Character.isISOControl(c) || Set
                .of(Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE,
                        Character.PRIVATE_USE, Character.UNASSIGNED)
                .contains((byte) Character.getType(c)))).mapToObj(Integer::toHexString)).as(output).isEmpty();
    }

    private void assertNoKey() {
        assertThat(out.toString(UTF_8) + err.toString(UTF_8)).doesNotContain(KEY.secret());
    }
}
