package petstore.cli.terminal;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;

import petstore.Failure;
import petstore.SafeText;

/// The surroundings of a command: streams, environment variables and clock.
///
/// @param input stdin
/// @param output stdout for data in bulk, unbuffered
/// @param out stdout for lines of text
/// @param err stderr
/// @param isTerminal true if stderr is a terminal
/// @param environment the environment variables, without those of Kubernetes
public record Console(InputStream input, OutputStream output, PrintWriter out, PrintWriter err, boolean isTerminal,
        Map<String, String> environment, Clock clock) {

    /// Returns a console on three streams, in UTF-8.
    public static Console of(InputStream input, OutputStream output, OutputStream err, boolean isTerminal,
            Map<String, String> environment, Clock clock) {
        return new Console(input, output, new PrintWriter(output, true, StandardCharsets.UTF_8),
                new PrintWriter(err, true, StandardCharsets.UTF_8), isTerminal,
                KubernetesVariables.removedFrom(environment), clock);
    }

    /// Writes a line to stderr, without control characters.
    public void printError(String line) {
        err.println(SafeText.of(line));
    }

    /// Writes text to stdout. Throws [Failure] of kind `UNAVAILABLE` with this message if stdout cannot be written.
    public void show(String text, String failure) {
        out.print(text);
        if (out.checkError()) {
            throw Failure.unavailable(failure);
        }
    }

    /// Writes text to stdout. Throws [Failure] of kind `UNAVAILABLE` if stdout cannot be written.
    public void show(String text) {
        show(text, "stdout cannot be written");
    }
}
