package petstore.cli;

import java.util.List;

import petstore.cli.terminal.ConsoleCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.UnmatchedArgumentException;

@Command(name = "help", helpCommand = true, description = "Prints the help of the program or of a command.", footer = {
        "", "Example:",
        "  petstore help keys create"})
final class HelpCommand extends ConsoleCommand implements Runnable {

    @Parameters(paramLabel = "COMMAND", arity = "0..*", completionCandidates = Main.Commands.class, showDefaultValue = Visibility.NEVER, description = "The command, e.g. keys create.")
    private List<String> words = List.of();

    @Override
    public void run() {
        CommandLine command = spec.parent().commandLine();
        for (String word : words) {
            CommandLine next = command.getSubcommands().get(word);
            if (next == null) {
                throw new UnmatchedArgumentException(command, List.of(word));
            }
            command = next;
        }
        console().show(command.getUsageMessage());
    }
}
