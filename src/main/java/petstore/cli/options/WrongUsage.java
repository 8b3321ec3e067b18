package petstore.cli.options;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

import petstore.KeyToken;
import petstore.cli.terminal.FishCompletion;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// Messages for wrong command lines and wrong values of variables.
public final class WrongUsage {

    /// The values of an enum, which picocli shows in upper case.
    private static final Pattern CHOICES = Pattern.compile("one of \\[[A-Z, ]+]");

    private WrongUsage() {
    }

    /// Returns the message for an exception of the parser, with the nearest word for a typing error.
    ///
    /// @param cause the message of the exception, as one line
    public static String message(ParameterException e, String cause, Map<String, String> environment) {
        String reason = CHOICES.matcher(cause).replaceFirst(found -> found.group().toLowerCase(Locale.ROOT));
        // A mistyped word may be the reason why another is missing.
        List<String> unknown = e instanceof UnmatchedArgumentException unmatched
                ? unmatched.getUnmatched()
                : e.getCommandLine().getUnmatchedArguments();
        String message = e instanceof UnmatchedArgumentException
                || (e instanceof MissingParameterException && !unknown.isEmpty())
                        ? unknown(unknown.getFirst(), e.getCommandLine().getCommandSpec())
                        : reason + variable(e, environment)
                                + NearestWord.suggestion(value(e), FishCompletion.choices(e.getArgSpec()));
        String hint = KeyToken.isIn(reason) ? "; " + OptionConverters.ID_OF_KEY : "";
        return message + hint + " (see '" + e.getCommandLine().getCommandSpec().qualifiedName() + " --help')";
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

    /// Returns the variable of a wrong value, for a message; empty if the value is from the command line.
    private static String variable(ParameterException e, Map<String, String> environment) {
        if (e.getValue() == null || !(e.getArgSpec() instanceof OptionSpec option)) {
            return "";
        }
        // The value may be one of a list.
        return Variables.of(option).filter(environment::containsKey)
                .filter(variable -> ("," + environment.get(variable) + ",").contains("," + e.getValue() + ","))
                .map(variable -> " in " + variable).orElse("");
    }

    private static String value(ParameterException e) {
        return e.getValue() == null ? "" : e.getValue();
    }
}
