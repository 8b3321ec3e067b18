package petstore.app;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// The variables of the environment that the program knows: one for each option of its commands, and a few more.
final class Variables {

    private static final String PREFIX = "PETSTORE_";
    /// Those that are no options. The last ones are told to what is in `deploy`, which may share its environment with us.
    private static final Set<String> OTHERS = Set.of("PETSTORE_API_KEY", "PETSTORE_API_KEY_FILE",
            "PETSTORE_DATABASE_PASSWORD", "PETSTORE_DATABASE_PASSWORD_FILE", "PETSTORE_JAVA_OPTIONS",
            "PETSTORE_PROXY_LISTEN", "PETSTORE_PROXY_SOCKET", "PETSTORE_REPLICA_1", "PETSTORE_REPLICA_2",
            "PETSTORE_JAVA");
    private static final List<SecretVariable> SECRETS = List.of(SecretVariable.API_KEY,
            SecretVariable.DATABASE_PASSWORD);
    /// How many letters may be wrong, missing or too many in a name for it to be taken for another one.
    private static final int MOST_TYPOS = 3;

    private Variables() {
    }

    /// Refuses a secret that is given twice, and a variable with our prefix that no command knows; a request for help works in either
    /// case. Errors: `ParameterException`.
    static void check(ParseResult parsed, Console console) {
        List<CommandLine> commands = parsed.asCommandLineList();
        boolean told = commands.stream()
                .anyMatch(command -> command.isUsageHelpRequested() || command.isVersionHelpRequested());
        if (told) {
            return;
        }
        SECRETS.forEach(secret -> secret.requireOnce(console.environment(), commands.getLast()));
        if (unknown(commands.getFirst(), console).isEmpty()) {
            return;
        }
        // What the other commands know is looked at only now, because that takes time.
        CommandLine all = Main.commandLine(console);
        Set<String> known = known(all).collect(Collectors.toSet());
        Set<String> unknown = unknown(all, console);
        if (!unknown.isEmpty()) {
            throw new ParameterException(commands.getLast(), unknown.stream()
                    .map(name -> "the environment has " + name + ", which is no setting" + hint(name, known))
                    .collect(Collectors.joining("; ")));
        }
    }

    private static Set<String> unknown(CommandLine program, Console console) {
        Set<String> known = known(program).collect(Collectors.toSet());
        return console.environment().keySet().stream().filter(name -> name.startsWith(PREFIX) && !known.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<String> known(CommandLine command) {
        Stream<String> own = command.getCommandSpec().options().stream()
                .map(option -> Main.variable(option.longestName()));
        return Stream.concat(Stream.concat(own, OTHERS.stream()),
                command.getSubcommands().values().stream().flatMap(Variables::known));
    }

    private static String hint(String name, Set<String> known) {
        return known.stream().sorted().min(Comparator.comparingInt(other -> distance(name, other)))
                .filter(nearest -> distance(name, nearest) <= MOST_TYPOS)
                .map(nearest -> "; did you mean " + nearest + "?").orElse("; unset it");
    }

    /// How many letters have to be changed, added or taken away to make one of the other (Levenshtein).
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[other.length()];
    }
}
