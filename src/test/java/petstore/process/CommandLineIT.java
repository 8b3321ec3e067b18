package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import petstore.cli.Main;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.PlainPostgres;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;

/// Exit codes and messages for wrong usage and for failed starts.
class CommandLineIT {

    /// A folder that cannot be created, since its parent is a regular file.
    private static final String IMPOSSIBLE_FOLDER = Path.of("pom.xml").toAbsolutePath() + "/data";

    @TempDir
    private Path data;
    /// Placeholder for the path of a folder that can contain a store.
    private static final String DATA = "DATA";
    private static final String SERVE = "serve --port 0 --admin-port 0 --data " + DATA + " ";

    /// A command line that fails, and the one line that it prints.
    ///
    /// @param code the exit code
    /// @param messageParts texts that the line contains
    record Mistake(int code, Map<String, String> environment, String line, List<String> messageParts) {

        @Override
        public String toString() {
            return line + " " + environment;
        }
    }

    static Stream<Mistake> mistakes() {
        return Stream.of(new Mistake(Main.WRONG_USAGE, Map.of("PETSTORE_API_KEY", "short"), "serve",
                List.of("PETSTORE_API_KEY", "16")),
                new Mistake(Main.FAILED, Map.of(), SERVE + "--tls-certificate /none.pem --tls-key /none.pem",
                        List.of("/none.pem (--tls-certificate)", "no such file")),
                new Mistake(Main.FAILED, Map.of(), SERVE + "--tls-certificate pom.xml --tls-key pom.xml",
                        List.of("pom.xml (--tls-certificate)", "PEM")),
                new Mistake(Main.FAILED, Map.of(), "healthcheck --admin-host ::ffff:127.0.0.1 --admin-port 1",
                        List.of("not ready: http://[::ffff:127.0.0.1]:1/readyz: Connection refused")),
                new Mistake(Main.FAILED, Map.of("PETSTORE_API_KEY_FILE", "/none/of/these"), "serve",
                        List.of("PETSTORE_API_KEY_FILE", "/none/of/these", "no such file")),
                new Mistake(Main.FAILED, Map.of(), "healthcheck --admin-host [::1] --admin-port 1",
                        List.of("not ready: http://[::1]:1/readyz")),
                new Mistake(Main.FAILED, Map.of(), "serve --data " + IMPOSSIBLE_FOLDER,
                        List.of(IMPOSSIBLE_FOLDER, "--data", "Not a directory")),
                new Mistake(Main.FAILED, Map.of(), "serve --port 0 --admin-port 0 --data /proc/petstore",
                        List.of("/proc/petstore", "--data", "cannot be written")),
                new Mistake(Main.FAILED, Map.of(), SERVE + "--host 192.0.2.1",
                        List.of("192.0.2.1:0", "--host")),
                new Mistake(Main.FAILED, Map.of(), SERVE + "--host 2001:db8::1",
                        List.of("cannot listen on [2001:db8::1]:0 (", "--host")),
                new Mistake(Main.FAILED, Map.of(), SERVE + "--admin-host none.invalid",
                        List.of("none.invalid:0", "--admin-host")),
                new Mistake(Main.FAILED, Map.of(), "keys create --name x --data " + IMPOSSIBLE_FOLDER,
                        List.of(IMPOSSIBLE_FOLDER, "Not a directory")));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void reportsMistakeInOneLine(Mistake mistake) {
        Ending ending = ending(mistake.environment(), mistake.line().replace(DATA, data.toString()));
        assertThat(ending.code()).isEqualTo(mistake.code());
        assertThat(ending.out()).isEmpty();
        assertOneLine(ending, mistake.messageParts());
        String key = mistake.environment().get("PETSTORE_API_KEY");
        if (key != null && !key.isEmpty()) {
            assertThat(ending.err().getFirst()).doesNotContain(key);
        }
    }

    @Test
    void refusesInvalidOrNewerStore(@TempDir Path folder) throws IOException {
        Path text = Files.createDirectory(folder.resolve("text"));
        Files.writeString(text.resolve("petstore.db"), "This is not a database, but a rather long text. ".repeat(100));
        Path nested = folder.resolve("nested");
        Files.createDirectories(nested.resolve("petstore.db"));
        Path newer = folder.resolve("newer");
        CommandLines.run(newer, "keys", "create", "--name", "x");
        try (StoreFile file = new StoreFile(newer)) {
            file.execute("INSERT INTO schema_version (version) VALUES (1000)");
        }
        for (String command : List.of("serve --port 0 --admin-port 0", "keys list")) {
            assertFails(command, text, "petstore.db", "not a database");
            assertFails(command, nested, "petstore.db");
            assertFails(command, newer, "version 1000", "newer");
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
