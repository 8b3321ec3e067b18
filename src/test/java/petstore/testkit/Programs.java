package petstore.testkit;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// Starts programs alike, however the tests themselves were started.
public final class Programs {

    private static final Set<String> INHERITED_VARIABLES = Set.of("PATH", "HOME", "USER", "LOGNAME", "JAVA_HOME",
            "TMPDIR");
    /// Processes that a script starts in the background ignore SIGINT, and so do their children.
    private static final String STARTER = "umask 022; exec env --default-signal=INT \"$@\"";

    private Programs() {
    }

    /// Returns a builder for a program with the default action for SIGINT, the umask 022, and few variables of the current environment.
    public static ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(
                Stream.concat(Stream.of("sh", "-c", STARTER, "sh"), command.stream()).toList());
        builder.environment().keySet().retainAll(INHERITED_VARIABLES);
        builder.environment().put("LANG", "C.UTF-8");
        return builder;
    }
}
