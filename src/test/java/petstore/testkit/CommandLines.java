package petstore.testkit;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.stream.Stream;

import petstore.cli.Main;
import petstore.cli.terminal.Console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/// Command lines that are run in this process, as an operator would beside a running server.
public final class CommandLines {

    private CommandLines() {
    }

    /// Runs a command on the store in `folder`, which must succeed, and gives back its output without the last line end.
    public static String run(Path folder, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = Console.of(InputStream.nullInputStream(), out, err, false, Map.of(), Clock.systemUTC());
        String[] all = Stream.concat(Stream.of(args), TestStore.arguments(folder).stream()).toArray(String[]::new);
        assertThat(Main.run(console, all)).as(err.toString(UTF_8)).isZero();
        return out.toString(UTF_8).stripTrailing();
    }
}
