package petstore.cli.terminal;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import petstore.CommandFailure;
import petstore.SafeText;

/// The environment of a command: streams, environment variables and clock.
///
/// @param output stdout for data in bulk, unbuffered
/// @param out stdout for lines of text
/// @param isTerminal true if stderr is a terminal
/// @param environment the environment variables, without those of Kubernetes
public record Console(InputStream input, OutputStream output, PrintWriter out, PrintWriter err, boolean isTerminal,
        Map<String, String> environment, Clock clock) {

    public static final String UNWRITABLE = "stdout cannot be written";

    /// Names of the variables that Kubernetes sets in every pod for services whose names begin with `petstore`.
    private static final Pattern OF_KUBERNETES = Pattern.compile("PETSTORE_(.+_)?"
            + "(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)", Pattern.DOTALL);
    /// Other variables of Kubernetes have the names of settings, but other values, e.g. `PETSTORE_PORT=tcp://10.0.0.1:8080`.
    private static final Pattern ADDRESS_OF_KUBERNETES = Pattern.compile("PETSTORE_[^=]*PORT=(tcp|udp|sctp)://.*");

    /// Returns a console on three streams, in UTF-8.
    public static Console of(InputStream input, OutputStream output, OutputStream err, boolean isTerminal,
            Map<String, String> environment, Clock clock) {
        Map<String, String> others = new TreeMap<>(environment);
        others.entrySet().removeIf(variable -> OF_KUBERNETES.matcher(variable.getKey()).matches()
                || ADDRESS_OF_KUBERNETES.matcher(variable.toString()).matches());
        return new Console(input, output, new PrintWriter(output, true, StandardCharsets.UTF_8),
                new PrintWriter(err, true, StandardCharsets.UTF_8), isTerminal, others, clock);
    }

    /// Writes a line to stderr, without control characters.
    public void printError(String line) {
        err.println(SafeText.of(line));
    }

    /// Writes text to stdout. Throws [CommandFailure] with this message if stdout cannot be written.
    public void show(String text, String failure) {
        out.print(text);
        if (out.checkError()) {
            throw new CommandFailure(failure);
        }
    }

    /// Writes text to stdout. Throws [CommandFailure] if stdout cannot be written.
    public void show(String text) {
        show(text, UNWRITABLE);
    }
}
