package petstore.cli.terminal;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;

import petstore.Failure;
import petstore.SafeText;

/// What surrounds a command: where it reads and writes, which environment it was started in, and what time it is.
///
/// @param input stdin
/// @param output stdout for data in bulk; nothing of it waits in a buffer of its own
/// @param out stdout for lines of text
/// @param err stderr
/// @param isTerminal whether a person sees stderr
/// @param environment the environment variables, without those of Kubernetes
/// @param clock the time
public record Console(InputStream input, OutputStream output, PrintWriter out, PrintWriter err, boolean isTerminal,
        Map<String, String> environment, Clock clock) {

    /// A console on three streams, in UTF-8.
    public static Console of(InputStream input, OutputStream output, OutputStream err, boolean isTerminal,
            Map<String, String> environment, Clock clock) {
        return new Console(input, output, new PrintWriter(output, true, StandardCharsets.UTF_8),
                new PrintWriter(err, true, StandardCharsets.UTF_8), isTerminal,
                KubernetesVariables.removedFrom(environment), clock);
    }

    /// Writes one line to stderr, safely.
    public void tell(String line) {
        err.println(SafeText.of(line));
    }

    /// Writes text to stdout.
    ///
    /// @param otherwise the message of the [Failure], of kind `UNAVAILABLE`, when it cannot be written
    public void show(String text, String otherwise) {
        out.print(text);
        if (out.checkError()) {
            throw Failure.unavailable(otherwise);
        }
    }

    /// The same, for what can be asked for again.
    public void show(String text) {
        show(text, "stdout cannot be written");
    }
}
