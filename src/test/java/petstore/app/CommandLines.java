package petstore.app;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// Command lines that are run in this process, as an operator would beside a running server.
final class CommandLines {

    private CommandLines() {
    }

    /// Runs a command on the store in `folder`, which must succeed, and gives back its output without the last line end.
    static String run(Path folder, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Console console = new Console(new PrintWriter(out), new PrintWriter(err), Map.of(), Clock.systemUTC());
        String[] all = Stream.concat(Stream.of(args), Stream.of("--data", folder.toString())).toArray(String[]::new);
        assertThat(Main.run(console, all)).as(err.toString()).isZero();
        console.out().flush();
        return out.toString().stripTrailing();
    }
}
