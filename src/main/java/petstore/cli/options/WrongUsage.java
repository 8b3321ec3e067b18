package petstore.cli.options;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;

import petstore.KeyToken;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// Messages for wrong command lines and wrong values of variables.
public final class WrongUsage {

    private WrongUsage() {
    }

    /// Returns the message for an exception of the parser, with the nearest word for a typing error.
    ///
    /// @param reason the message of the exception, as one line
    public static String message(ParameterException e, String reason, Map<String, String> environment) {
        // A mistyped word may be the reason why another is missing.
        List<String> unknown = e instanceof UnmatchedArgumentException unmatched
                ? unmatched.getUnmatched()
                : e.getCommandLine().getUnmatchedArguments();
        String message = e instanceof UnmatchedArgumentException
                || (e instanceof MissingParameterException && !unknown.isEmpty())
                        ? unknown(unknown.getFirst(), e.getCommandLine().getCommandSpec())
                        : reason + variable(e, environment) + suggestion(value(e), choices(e.getArgSpec()));
        String hint = KeyToken.isIn(reason) ? "; " + OptionConverters.ID_OF_KEY : "";
        return message + hint + " (see '" + e.getCommandLine().getCommandSpec().qualifiedName() + " --help')";
    }

    /// Returns the end of a message that suggests the nearest known word; empty if no word is near.
    static String suggestion(String word, Collection<String> known) {
        return NearestWord.find(word, known).map(meant -> "; did you mean " + meant + "?").orElse("");
    }

    /// Returns the error message for the unknown word. Values are not repeated, because they may hold a password.
    private static String unknown(String argument, CommandSpec command) {
        String word = argument.split("[=:@\\s]", 2)[0];
        boolean option = word.startsWith("-");
        Collection<String> known = option
                ? command.options().stream().filter(each -> !each.hidden()).map(OptionSpec::longestName).toList()
                : command.subcommands().keySet();
        return (option ? "unknown option " : known.isEmpty() ? "unexpected argument " : "unknown command ") + word
                + suggestion(word, known);
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
        return e.getValue() == null ? "" : e.getValue().toLowerCase(Locale.ROOT);
    }

    /// Returns the values that an option or a parameter may have, as the help writes them; empty unless they are a fixed set.
    private static List<String> choices(ArgSpec argument) {
        return Optional.ofNullable(argument).map(ArgSpec::completionCandidates)
                .map(choices -> StreamSupport.stream(choices.spliterator(), false)
                        .map(choice -> choice.toLowerCase(Locale.ROOT)).toList())
                .orElse(List.of());
    }
}
