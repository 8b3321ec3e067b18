package petstore.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.cli.terminal.Console;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess.Ending;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/// The texts of `--help`.
class HelpTest {

    /// An output on a full disk.
    static final OutputStream FULL = new OutputStream() {
        @Override
        public void write(int b) throws IOException {
            throw new IOException("No space left on device");
        }
    };

    private static Ending run(Map<String, String> environment, String line) {
        return CommandLines.ending(environment, line.split(" ", 0));
    }

    /// Returns stdout of a command that succeeds.
    private static String output(Map<String, String> environment, String line) {
        Ending ending = run(environment, line);
        assertThat(ending.code()).as(ending.toString()).isZero();
        assertThat(ending.err()).isEmpty();
        return String.join("\n", ending.out());
    }

    /// Returns the help as one line, independent of the width of the terminal.
    private static String help(Map<String, String> environment, String command) {
        return output(environment, command + " --help").replaceAll("\\s+", " ");
    }

    /// The value of a variable may be a secret, and is not a default.
    @Test
    void showsDefaultsButNoValuesOfVariables() {
        String serve = help(Map.of("PETSTORE_PORT", "7000", "PETSTORE_DATABASE", "postgresql://u:secret@h/d"), "serve");
        assertThat(serve).contains("takes a free one. Default: 8080", "request's header block. Default: 10s",
                "every request: true or false. Default: true", "PETSTORE_ADMIN_PORT is for --admin-port")
                .doesNotContain("7000", "secret", "Default: []");
    }

    @ParameterizedTest
    @ValueSource(strings = {"keys create | 2027-01-31 (its beginning, midnight in UTC)",
            "keys list | table or json. Default: table", "import | ndjson or csv. By default, its name decides",
            "export | a stream is ndjson.", "healthcheck | admin listener. Default: 9090"})
    void explainsDefaults(String line) {
        String[] parts = line.split(" \\| ", 2);
        assertThat(help(Map.of(), parts[0])).contains(parts[1], "PETSTORE_ADMIN_PORT").doesNotContain("Optional",
                "Default: [", "Default: false");
    }

    @ParameterizedTest
    @ValueSource(strings = {"backup FILE", "restore FILE", "move --to postgresql://h/d"})
    void omitsDatabaseOptionWhereItIsRefused(String line) {
        assertThat(help(Map.of(), line)).contains("--data=FOLDER").doesNotContain("--database");
        Stream.of(" --database postgresql://h/e", "").forEach(databaseOption -> {
            Ending ending = run(Map.of("PETSTORE_DATABASE", "postgresql://h/e"), line + databaseOption);
            assertThat(ending.code()).isEqualTo(Main.WRONG_USAGE);
            assertThat(ending.err().getFirst()).contains("this works on the embedded store, not on --database");
        });
    }

    /// Returns all commands, the program itself first.
    static Stream<CommandLine> commands() {
        return withSubcommands(
                Main.commandLine(Console.of(InputStream.nullInputStream(), OutputStream.nullOutputStream(),
                        OutputStream.nullOutputStream(), false, Map.of(), Clock.systemUTC())));
    }

    private static Stream<CommandLine> withSubcommands(CommandLine command) {
        return Stream.concat(Stream.of(command),
                command.getSubcommands().values().stream().flatMap(HelpTest::withSubcommands));
    }

    /// Returns the words of the help, sorted: with a narrow terminal, the description of a long option begins on the next line.
    private static List<String> words(CommandLine command, int width) {
        String help = command.setUsageHelpAutoWidth(false).setUsageHelpWidth(width)
                .getUsageMessage(CommandLine.Help.Ansi.OFF);
        assertThat(help.lines()).as(help).allMatch(line -> line.length() <= width);
        return Stream.of(help.strip().split("\\s+", 0)).sorted().toList();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void wrapsLinesBetweenWords(CommandLine command) {
        assertThat(words(command, 80)).isEqualTo(words(command, 1000));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void printsSameHelpWithExampleForOptionAndCommand(CommandLine command) {
        String words = command.getCommandSpec().qualifiedName().substring("petstore".length()).strip();
        String help = output(Map.of(), (words + " --help").strip());
        assertThat(help).startsWith("Usage: petstore " + words).containsPattern("Examples?:\\R  .*petstore " + words);
        assertThat(output(Map.of(), ("help " + words).strip())).isEqualTo(help);
        assertThat(output(Map.of(), (words + " --version").strip())).matches("petstore \\S.*, Java [0-9].*");
    }

    @Test
    void printsHelpWithoutArguments() {
        assertThat(CommandLines.ending(Map.of("PETSTORE_PROT", "1")).out()).contains("Commands:").first().asString()
                .startsWith("Usage: petstore ");
    }

    @Test
    void printsHelpAndCompletionDespiteInvalidVariables() {
        for (String line : List.of("help", "help serve", "completion fish", "serve --help", "keys list -h",
                "config -V")) {
            output(Map.of("PETSTORE_PROT", "1", "PETSTORE_PORT", "x", "PETSTORE_MIGRATE", "x"), line);
        }
        assertThat(run(Map.of("PETSTORE_MIGRATE", "x"), "export -- --help").code()).isEqualTo(Main.WRONG_USAGE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "--version", "keys --help", "help", "completion"})
    void failsIfStdoutCannotBeWritten(String line) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        assertThat(Main.run(Console.of(InputStream.nullInputStream(), FULL, err, false, Map.of(), Clock.systemUTC()),
                line.split(" ", 0))).isEqualTo(Main.FAILED);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualToNormalizingNewlines(
                "petstore: stdout cannot be written\n");
    }

    @ParameterizedTest
    @CsvSource({"dumb, OFF", "xterm, AUTO"})
    void hasNoEscapeCodesOnADumbTerminal(String terminal, CommandLine.Help.Ansi ansi) {
        assertThat(Main.commandLine(Console.of(InputStream.nullInputStream(), OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(), true, Map.of("TERM", terminal), Clock.systemUTC())).getSubcommands()
                .values())
                .allMatch(command -> command.getColorScheme().ansi() == ansi);
    }

    @Test
    void omitsDefaultInHelpOfHelp() {
        assertThat(help(Map.of(), "help")).doesNotContain("Default");
    }
}
