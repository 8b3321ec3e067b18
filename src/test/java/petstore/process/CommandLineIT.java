package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.cli.Main;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.PlainPostgres;

import static org.assertj.core.api.Assertions.assertThat;

/// Exit codes and messages of failed starts. `WrongUsageTest` has those for wrong usage.
class CommandLineIT {

    @TempDir
    private Path data;

    /// The text is a command line and a pattern in the one line that it prints. NONE is a folder that cannot be created, since its parent
    /// is a regular file.
    @ParameterizedTest
    @CsvSource(delimiterString = " | ", textBlock = """
            healthcheck --admin-host ::ffff:127.0.0.1 --admin-port 1 | not ready: http://\\[::ffff:127.0.0.1]:1/readyz: Connection refused
            serve --data NONE                        | pom.xml/data.*--data.*Not a directory
            SERVE --data /proc/petstore              | /proc/petstore.*--data.*cannot be written
            SERVE --data DATA --host 192.0.2.1       | 192.0.2.1:0 .*--host
            SERVE --data DATA --host 2001:db8::1     | cannot listen on \\[2001:db8::1]:0 \\(.*--host
            SERVE --data DATA --admin-host none.invalid | none.invalid:0 .*--admin-host""")
    void reportsFailureInOneLine(String line, String pattern) {
        Ending ending = ending(Map.of(), line.replace("SERVE", "serve --port 0 --admin-port 0")
                .replace("DATA", data.toString()).replace("NONE", Path.of("pom.xml").toAbsolutePath() + "/data"));
        assertThat(ending.code()).isEqualTo(Main.FAILED);
        assertThat(ending.out()).isEmpty();
        assertOneLine(ending, List.of(": "));
        assertThat(ending.err().getFirst()).containsPattern(pattern);
    }

    @Test
    void refusesInvalidStore(@TempDir Path folder) throws IOException {
        Path text = Files.createDirectory(folder.resolve("text"));
        Files.writeString(text.resolve("petstore.db"), "This is not a database, but a rather long text. ".repeat(100));
        Path nested = folder.resolve("nested");
        Files.createDirectories(nested.resolve("petstore.db"));
        for (String command : List.of("serve --port 0 --admin-port 0", "keys list")) {
            assertFails(command, text, "petstore.db", "not a database");
            assertFails(command, nested, "petstore.db");
        }
        assertThat(text.resolve("petstore.db")).content().startsWith("This is not a database");
    }

    @Test
    void reportsWhyDatabaseCannotBeUsed(@TempDir Path folder) throws IOException {
        try (PlainPostgres postgres = new PlainPostgres(folder.resolve("postgresql"))) {
            postgres.addUser("keeper", "the-right-one");
            String address = postgres.url().replace("postgres@", "keeper@");
            String serve = "serve --port 0 --admin-port 0 --database ";
            for (String command : List.of(serve + address, "keys list --database " + address)) {
                Ending ending = assertFails(Map.of("PETSTORE_DATABASE_PASSWORD", "wrong-one"), command,
                        "keeper", "password authentication failed", "--database", "PETSTORE_DATABASE_PASSWORD");
                assertThat(ending.err().getFirst()).doesNotContain("wrong-one");
            }
            assertFails(serve + postgres.url() + "none", "postgresnone", "--database", "createdb");
            postgres.stop();
            assertFails(serve + postgres.url(), "refused", "--database");
        }
    }

    private static void assertFails(String command, Path folder, String... messageParts) {
        assertFails(command + " --data " + folder, messageParts);
    }

    private static Ending assertFails(String command, String... messageParts) {
        return assertFails(Map.of(), command, messageParts);
    }

    private static Ending assertFails(Map<String, String> environment, String command, String... messageParts) {
        Ending ending = ending(environment, command);
        assertThat(ending.code()).isEqualTo(Main.FAILED);
        assertOneLine(ending, List.of(messageParts));
        return ending;
    }

    private static void assertOneLine(Ending ending, List<String> messageParts) {
        assertThat(ending.err()).singleElement().asString().startsWith("petstore: ").contains(messageParts)
                .doesNotContain("Exception", "java.");
    }

    /// Runs a command. Only the service needs a process of its own.
    private static Ending ending(Map<String, String> environment, String line) {
        String[] words = line.strip().split(" ", 0);
        if (!words[0].equals("serve")) {
            return CommandLines.ending(environment, words);
        }
        try (PetstoreProcess petstore = PetstoreProcess.start(environment, words)) {
            return petstore.ending();
        }
    }
}
