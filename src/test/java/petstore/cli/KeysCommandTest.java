package petstore.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.cli.terminal.Console;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.PostgresServer;
import petstore.testkit.ServedContract;
import petstore.testkit.TestClock;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;

/// `petstore keys` on a store of its own.
class KeysCommandTest {

    private static final String LONG_NAME = "Checkout of the shop in the very long street № 1, third floor ";

    @TempDir
    private Path folder;

    private Ending keys(String... words) {
        return CommandLines.ending(Map.of("PETSTORE_DATA", folder.toString()),
                Stream.concat(Stream.of("keys"), Stream.of(words)).toArray(String[]::new));
    }

    /// Creates a key. Returns its id.
    private String create(String name, String... more) {
        Ending ending = keys(
                Stream.concat(Stream.of("create", "--name", name), Stream.of(more)).toArray(String[]::new));
        assertThat(ending.code()).as(ending.toString()).isZero();
        return ending.out().getFirst().substring("pets_".length(), 15);
    }

    private JsonNode key(String id) {
        for (JsonNode key : ServedContract.json(String.join("", keys("list", "--format", "json").out()))) {
            if (key.path("id").asText().equals(id)) {
                return key;
            }
        }
        throw new AssertionError(id);
    }

    @Test
    void refusedNameCreatesNoStore() {
        assertThat(keys("create", "--name", "PETSTORE_API_KEY")).isEqualTo(new Ending(1, List.of(), List.of(
                "petstore: the key in the variable PETSTORE_API_KEY has the name PETSTORE_API_KEY; choose another with --name")));
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void prunesKeysThatEndedLongAgo() {
        create("till");
        create("old");
        create("revoked");
        assertThat(keys("revoke", "revoked").code()).isZero();
        assertThat(keys("revoke", "old").code()).isZero();
        TestStore.execute(folder, "UPDATE api_key SET revoked_ms = revoked_ms - 7776000000 WHERE name = 'old'");
        assertThat(keys("prune")).isEqualTo(new Ending(Main.DONE, List.of(), List.of("Removed 1 API key")));
        assertThat(keys("prune", "--older-than", "1h").err()).containsExactly("Removed 0 API keys");
        assertThat(keys("list").out()).hasSize(3);
        assertThat(keys("prune", "--older-than", "1ms").err()).containsExactly("Removed 1 API key");
        assertThat(keys("list").out()).hasSize(2).last().asString().contains("till");
    }

    @Test
    void listShowsWholeNamesAndLimits() {
        String longest = create(LONG_NAME + "🐈🐈", "--rate-limit", "999999999/365d", "--expires-in", "36500d");
        String revoked = create(LONG_NAME, "--rate-limit", "600/1m");
        assertThat(keys("revoke", revoked).code()).isZero();
        create("short", "--scope", "pets:read");
        List<String> table = keys("list").out();
        assertThat(table).hasSize(4);
        assertThat(table.get(1)).startsWith(longest + "  " + LONG_NAME + "🐈🐈  read write  ").contains("  until 21",
                "999999999/365d");
        assertThat(table.get(2)).matches(".*  revoked 20[0-9]{2}-[0-9]{2}-[0-9]{2}  -  +600/1m");
        assertThat(table.get(3)).matches("\\w{10}  short +read +20[0-9]{2}-[0-9]{2}-[0-9]{2}  valid +- +-");
        assertThat(key(longest).path("name").asText()).isEqualTo(LONG_NAME + "🐈🐈");
    }

    /// Each of these characters takes two columns, except the combining mark, which has no width.
    @Test
    void listAlignsColumnsWithWideCharacters() {
        create("動物".repeat(30));
        create("ペット e\u0301");
        List<String> table = keys("list").out();
        int scopes = table.getFirst().indexOf("SCOPES");
        assertThat(table.get(1).indexOf("read") + wideCharacters(table.get(1))).isEqualTo(scopes);
        assertThat(table.get(2).indexOf("read") + wideCharacters(table.get(2)) - 1).isEqualTo(scopes);
    }

    private static int wideCharacters(String line) {
        return (int) line.chars().filter(c -> c >= '\u3000').count();
    }

    @ParameterizedTest
    @ValueSource(strings = {"revoke", "rotate"})
    void acceptsNameIfNoOtherValidKeyHasIt(String command) {
        String revoked = create("till");
        assertThat(keys("revoke", "till").code()).isZero();
        assertThat(key(revoked).path("revoked").isNull()).isFalse();
        String firstShop = create("shop");
        String till = create("till");
        assertThat(keys(command, "till").code()).isZero();
        assertThat(key(till).path("revoked").isNull()).isEqualTo(command.equals("rotate"));
        assertThat(key(firstShop).path("revoked").isNull()).isTrue();
        assertThat(keys(command, "shop ").err()).singleElement().asString()
                .contains("there is no key with the id or name shop ; 'petstore keys list' shows them");
    }

    @Test
    void explainsNameOfRevokedKeysOnly() {
        String first = create("till");
        assertThat(keys("revoke", first).code()).isZero();
        String second = create("till");
        assertThat(keys("revoke", second).code()).isZero();
        assertThat(keys("revoke", "till").err()).singleElement().asString()
                .startsWith("petstore: several keys have the name till; give an id: ")
                .contains(first, second);
    }

    @ParameterizedTest
    @ValueSource(strings = {"keys list", "export -", "import examples/animals.ndjson --dry-run"})
    void refusesFileAsDataFolder(String line) throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThat(CommandLines.ending(Map.of("PETSTORE_DATA", file.toString()), line.split(" ", 0)))
                .isEqualTo(new Ending(Main.FAILED, List.of(), List.of(
                        "petstore: " + file + " is not a folder; choose another with --data")));
    }

    @Test
    void hintForUnprintedKeyNamesStore() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console full = Console.of(InputStream.nullInputStream(), HelpTest.FULL, err, false, Map.of(),
                Clock.systemUTC());
        assertThat(Main.run(full, "keys", "create", "--name", "x", "--data", folder.toString())).isOne();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .matches("(?s).* 'petstore keys rotate \\w{10} --data " + folder + "' shows another\\s+");
    }

    @Test
    void comparesExpiryWithClockOfDatabase() {
        String database = PostgresServer.newDatabase();
        Console early = Console.of(InputStream.nullInputStream(), OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(), false, Map.of(), new TestClock("2000-01-01T00:00:00Z"));
        Console late = Console.of(InputStream.nullInputStream(), OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(), false, Map.of(), new TestClock("2099-01-01T00:00:00Z"));
        assertThat(Main.run(late, "keys", "create", "--name", "x", "--expires-at", "2098-01-01", "--database",
                database)).isEqualTo(Main.DONE);
        assertThat(Main.run(early, "keys", "create", "--name", "y", "--expires-at", "2020-01-01", "--database",
                database)).isEqualTo(Main.WRONG_USAGE);
        assertThat(PostgresServer.query(database, "SELECT name FROM api_key")).containsExactly("x");
    }

    @Test
    void rotatePrintsWhenOldSecretExpires() {
        create("till");
        Instant before = Instant.now();
        String message = keys("rotate", "till", "--grace", "24h").err().getLast();
        assertThat(message).startsWith("The old secret works until ").endsWith("Z");
        assertThat(Instant.parse(message.substring(message.lastIndexOf(' ') + 1))).isBetween(
                before.plus(Duration.ofHours(24)).minusSeconds(1), Instant.now().plus(Duration.ofHours(24)));
        String brief = create("brief", "--expires-in", "1h");
        String end = key(brief).path("expires").asText();
        assertThat(keys("rotate", "brief", "--grace", "24h").err()).last().asString()
                .isEqualTo("The old secret works until " + Instant.parse(end).truncatedTo(ChronoUnit.SECONDS));
        Ending again = keys("rotate", "till", "--grace", "24h");
        assertThat(again.code()).isEqualTo(Main.FAILED);
        assertThat(again.err()).singleElement().asString().contains("works until " + message.substring(
                message.lastIndexOf(' ') + 1) + "; rotate it again after that, or without --grace");
        assertThat(keys("rotate", "till").err()).last().asString().startsWith("The old secret no longer works");
    }
}
