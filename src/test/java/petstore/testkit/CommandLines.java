package petstore.testkit;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.stream.Stream;

import petstore.cli.Main;
import petstore.cli.terminal.Console;
import petstore.testkit.PetstoreProcess.Ending;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/// Commands that run in the process of the tests, without the launcher and without a new JVM.
public final class CommandLines {

    private CommandLines() {
    }

    /// Runs a command on the store in `folder`. Returns its output without the final line break. Fails if the command fails.
    public static String run(Path folder, String... args) {
        Ending ending = ending(Map.of(),
                Stream.concat(Stream.of(args), TestStore.arguments(folder).stream()).toArray(String[]::new));
        assertThat(ending.code()).as(ending.toString()).isZero();
        return String.join("\n", ending.out());
    }

    /// Runs a command with these environment variables. Returns its exit code and output.
    public static Ending ending(Map<String, String> environment, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = Console.of(InputStream.nullInputStream(), out, err, false, environment, Clock.systemUTC());
        int code = Main.run(console, args);
        return new Ending(code, out.toString(UTF_8).lines().toList(), err.toString(UTF_8).lines().toList());
    }
}
