package petstore.cli.options;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import petstore.http.message.KeyScanner;

/// The refusal of database passwords in arguments, because the process list shows arguments to all users.
public final class ArgumentPasswords {

    private static final List<String> OPTIONS = List.of("--database", "--to");
    private static final Pattern ADDRESS = Pattern.compile("(?i)\\s*(?:jdbc:)?postgres[a-z]*(?::|%3a).*",
            Pattern.DOTALL);
    private static final Pattern SCHEME = Pattern.compile("(?i)^[^@/?#]*?(?::|%3a)(?:/|%2f)++");
    private static final Pattern USER_AND_PASSWORD = Pattern.compile("^[^@:]*:[^@]+@");
    private static final Pattern PARAMETER = Pattern
            .compile("(?i)(?:^|[?&;\\s])(?:ssl)?password\\s*=\\s*[^&\\s]");

    private ArgumentPasswords() {
    }

    /// Returns the error message for the first argument that holds a password, without the argument; absent if no argument does.
    public static Optional<String> refusal(String... arguments) {
        String previous = "";
        for (String argument : arguments) {
            int equals = argument.startsWith("-") ? argument.indexOf('=') : -1;
            String option = equals < 0 ? previous : argument.substring(0, equals);
            String value = argument.substring(equals + 1);
            boolean known = OPTIONS.contains(option);
            if ((known || ADDRESS.matcher(value).matches()) && hasPassword(value)) {
                boolean moves = known ? option.equals("--to") : List.of(arguments).contains("move");
                String meant = moves ? "--to" : "--database";
                return Optional.of(meant + " must not hold a password, because everybody can read arguments; set "
                        + SecretVariable.DATABASE_PASSWORD.name() + ", or " + Variables.name(meant)
                        + " to the whole address");
            }
            previous = argument;
        }
        return Optional.empty();
    }

    /// Returns false for an empty password. A password may have characters that end a user or an authority.
    private static boolean hasPassword(String value) {
        String rest = SCHEME.matcher(value).replaceFirst("");
        return USER_AND_PASSWORD.matcher(rest).find()
                || USER_AND_PASSWORD.matcher(KeyScanner.decoded(rest.split("[/?#]", 2)[0])).find()
                || PARAMETER.matcher(KeyScanner.decoded(rest)).find();
    }
}
