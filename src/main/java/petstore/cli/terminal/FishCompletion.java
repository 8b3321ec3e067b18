package petstore.cli.terminal;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// A script that completes command lines in fish. Picocli writes one for bash and zsh alone.
public final class FishCompletion {

    private static final String NO_VALUES = " -f";

    private FishCompletion() {
    }

    public static String of(CommandLine program) {
        CommandSpec spec = program.getCommandSpec();
        // Completes file names only where a command expects a file.
        return "complete -c " + spec.name() + " -f\n"
                + lines(spec, "__fish_use_subcommand").collect(Collectors.joining());
    }

    /// @param condition the condition in fish that is true after the words of this command
    private static Stream<String> lines(CommandSpec command, String condition) {
        String begin = "complete -c " + command.root().name() + " -n '" + condition + "'";
        Stream<String> own = Stream.concat(
                command.subcommands().values().stream().map(CommandLine::getCommandSpec)
                        .map(sub -> begin + " -a " + sub.name() + " -d " + quoted(sub.usageMessage().description())),
                command.options().stream().filter(option -> !option.hidden())
                        .map(option -> begin + option(option) + " -d " + quoted(option.description())));
        Stream<String> values = command.positionalParameters().stream().map(FishCompletion::values)
                .filter(choices -> !choices.equals(NO_VALUES)).map(choices -> begin + choices);
        Stream<String> below = command.subcommands().values().stream().map(CommandLine::getCommandSpec)
                .flatMap(sub -> lines(sub, after(sub)));
        return Stream.concat(Stream.concat(own, values).map(line -> line + "\n"), below);
    }

    /// Returns the condition for the words of a command: the line has all of them, and no word of a subcommand.
    private static String after(CommandSpec command) {
        String seen = "__fish_seen_subcommand_from ";
        String words = Stream.of(command.qualifiedName().split(" ", -1)).skip(1).map(word -> seen + word)
                .collect(Collectors.joining("; and "));
        String next = String.join(" ", command.subcommands().keySet());
        return next.isEmpty() ? words : words + "; and not " + seen + next;
    }

    private static String option(OptionSpec option) {
        String names = Stream.of(option.names())
                .map(name -> name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1))
                .collect(Collectors.joining());
        return option.arity().max() == 0 ? names : names + " -r" + values(option);
    }

    /// Returns the part of a line that has the values: a fixed set, files, or none that can be completed.
    private static String values(ArgSpec argument) {
        List<String> choices = choices(argument);
        if (!choices.isEmpty()) {
            return NO_VALUES + " -a '" + String.join(" ", choices) + "'";
        }
        return Set.of("FILE", "FOLDER").contains(argument.paramLabel()) ? " -F" : NO_VALUES;
    }

    /// Returns the values that an option or a parameter may have, as the help writes them; empty unless they are a fixed set.
    public static List<String> choices(ArgSpec argument) {
        return argument.completionCandidates() == null
                ? List.of()
                : StreamSupport.stream(argument.completionCandidates().spliterator(), false)
                        .map(choice -> choice.toLowerCase(Locale.ROOT)).toList();
    }

    private static String quoted(String... description) {
        String text = String.join(" ", description);
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
