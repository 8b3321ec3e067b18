package petstore.cli;

import java.util.Locale;
import java.util.regex.Pattern;

import petstore.cli.terminal.ConsoleCommand;
import petstore.cli.terminal.FishCompletion;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Parameters;

@Command(name = "completion", helpCommand = true, description = "Prints a script that completes command lines in bash, zsh or fish.", footer = {
        "", "Examples:", "  source <(petstore completion bash)",
        "  petstore completion fish > ~/.config/fish/completions/petstore.fish"})
final class CompletionCommand extends ConsoleCommand implements Runnable {

    private static final Pattern VALUES = Pattern.compile("_args=\\(.*\\)");

    private enum Shell {
        BASH, ZSH, FISH
    }

    @Parameters(paramLabel = "SHELL", arity = "0..1", defaultValue = "bash", showDefaultValue = Visibility.NEVER, description = "bash, zsh or fish. Without it, the script is for bash and zsh.")
    private Shell shell;

    @Override
    public void run() {
        CommandLine program = Main.commandLine(console());
        console().show(switch (shell) {
            // Picocli writes the values of an enum in upper case.
            case BASH, ZSH -> VALUES.matcher(AutoComplete.bash("petstore", program))
                    .replaceAll(found -> found.group().toLowerCase(Locale.ROOT));
            case FISH -> FishCompletion.of(program);
        });
    }
}
