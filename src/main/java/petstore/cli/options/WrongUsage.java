package petstore.cli.options;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

import petstore.KeyToken;
import petstore.SafeText;
import petstore.cli.terminal.FishCompletion;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// Messages for wrong command lines and wrong values of variables.
public final class WrongUsage {

    private static final Pattern CAPITAL = Pattern.compile("^[A-Z](?=[a-z])");

    private WrongUsage() {
    }

    /// Returns the message for an exception of the parser, with the nearest word for a typing error.
    ///
    /// @param reason the message of the exception, as one line
    public static String message(ParameterException e, String reason, Map<String, String> environment) {
        // A mistyped word may be the reason why another word is missing.
        List<String> unknown = e instanceof UnmatchedArgumentException unmatched
                ? unmatched.getUnmatched()
                : e.getCommandLine().getUnmatchedArguments();
        String message = e instanceof UnmatchedArgumentException
                || (e instanceof MissingParameterException && !unknown.isEmpty())
                        ? unknown(unknown.getFirst(), e.getCommandLine().getCommandSpec())
                        : explained(e, reason, environment);
        String hint = KeyToken.isIn(reason) ? "; " + OptionConverters.ID_OF_KEY : "";
        String command = e.getCommandLine().getCommandSpec().qualifiedName().substring("petstore".length());
        return message + hint + " (see '" + SafeText.program() + command + " --help')";
    }

    /// Returns the parser's message in the form of this project's messages.
    private static String explained(ParameterException e, String reason, Map<String, String> environment) {
        if (reason.equals("Missing required subcommand")) {
            return "missing command; give one of "
                    + String.join(", ", e.getCommandLine().getCommandSpec().subcommands().keySet());
        }
        if (e.getValue() == null || !reason.startsWith("Invalid value for ")) {
            return CAPITAL.matcher(reason.replaceFirst("^Error: ", ""))
                    .replaceFirst(capital -> capital.group().toLowerCase(Locale.ROOT));
        }
        String name = e.getArgSpec() instanceof OptionSpec option ? option.longestName() : e.getArgSpec().paramLabel();
        List<String> choices = FishCompletion.choices(e.getArgSpec());
        // The value may be from the command line, or one of a list.
        return Variables.of(e.getArgSpec()).filter(environment::containsKey)
                .filter(variable -> ("," + environment.get(variable) + ",").contains("," + e.getValue() + ","))
                .map(variable -> variable + " (" + name + ")").orElse(name) + ": "
                + (choices.isEmpty()
                        ? reason.split(": ", 2)[1]
                        : "'" + e.getValue() + "' is not one of " + String.join(", ", choices))
                + NearestWord.suggestion(e.getValue(), choices);
    }

    /// Returns the error message for the unknown word. Values are not repeated, because they may hold a password.
    private static String unknown(String argument, CommandSpec command) {
        String word = argument.split("[=:@\\s]", 2)[0];
        boolean option = word.startsWith("-");
        Collection<String> known = option
                ? command.options().stream().filter(each -> !each.hidden()).map(OptionSpec::longestName).toList()
                : command.subcommands().keySet();
        return (option ? "unknown option " : known.isEmpty() ? "unexpected argument " : "unknown command ") + word
                + NearestWord.suggestion(word, known);
    }
}
