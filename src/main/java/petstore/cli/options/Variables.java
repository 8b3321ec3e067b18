package petstore.cli.options;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import petstore.cli.terminal.Console;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// The environment variables of the settings, and a few others.
public final class Variables {

    private static final String PREFIX = "PETSTORE_";
    private static final List<Class<?>> SETTINGS = List.of(ServeOptions.class, StoreOptions.class);
    private static final List<SecretVariable> SECRETS = List.of(SecretVariable.API_KEY,
            SecretVariable.DATABASE_PASSWORD);
    /// Variables of the files in `deploy`, which may share an environment with the program.
    private static final Set<String> OF_DEPLOY = Set.of("PETSTORE_PROXY_LISTEN", "PETSTORE_PROXY_SOCKET",
            "PETSTORE_REPLICA_1", "PETSTORE_REPLICA_2", "PETSTORE_JAVA");

    private Variables() {
    }

    /// Returns the variable of an option, e.g. `PETSTORE_ADMIN_PORT` of `--admin-port`; absent for parameters and options of one command.
    public static Optional<String> of(ArgSpec argument) {
        return argument instanceof OptionSpec option && option.userObject() instanceof Field field
                && HasVariables.class.isAssignableFrom(field.getDeclaringClass())
                        ? Optional.of(name(option.longestName()))
                        : Optional.empty();
    }

    /// Returns the variable that an option would have, e.g. `PETSTORE_ADMIN_PORT` of `--admin-port`.
    public static String name(String option) {
        return PREFIX + option.substring(2).replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /// Warns of unknown variables with the program's prefix. Requests for help or completion are not checked.
    ///
    /// Errors: `ParameterException` for a secret that is set twice, and for a mistyped name.
    public static void check(ParseResult parsed, Console console) {
        List<CommandLine> commands = parsed.asCommandLineList();
        if (commands.stream().anyMatch(each -> each.isUsageHelpRequested() || each.isVersionHelpRequested()
                || each.getCommandSpec().helpCommand())) {
            return;
        }
        for (SecretVariable secret : SECRETS) {
            if (console.environment().keySet().containsAll(secret.variables())) {
                throw new ParameterException(commands.getLast(),
                        String.join(" and ", secret.variables()) + " must not both be set");
            }
        }
        Set<String> known = known();
        Set<String> unknown = new TreeSet<>(console.environment().keySet());
        unknown.removeIf(name -> !name.startsWith(PREFIX) || known.contains(name) || OF_DEPLOY.contains(name));
        for (String name : unknown) {
            String suggestion = NearestWord.suggestion(name, known);
            if (!suggestion.isEmpty()) {
                throw new ParameterException(commands.getLast(), described(name) + suggestion);
            }
        }
        unknown.forEach(name -> console.printError("petstore: warning: " + described(name) + " is ignored"));
    }

    private static String described(String name) {
        return "unknown environment variable " + name;
    }

    private static Set<String> known() {
        Set<String> known = new TreeSet<>();
        SETTINGS.stream().flatMap(settings -> Arrays.stream(settings.getDeclaredFields()))
                .map(field -> field.getAnnotation(Option.class))
                .filter(option -> option != null).forEach(option -> known.add(name(option.names()[0])));
        SECRETS.forEach(secret -> known.addAll(secret.variables()));
        known.add(name("--to"));
        known.add("PETSTORE_JAVA_OPTIONS");
        return known;
    }
}
