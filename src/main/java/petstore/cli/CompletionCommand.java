package petstore.cli;

import petstore.cli.terminal.ConsoleCommand;
import petstore.cli.terminal.FishCompletion;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Parameters;

@Command(name = "completion", description = "Prints a script that completes command lines in bash, zsh or fish.", footer = {
        "", "Examples:", "  source <(petstore completion bash)",
        "  petstore completion fish > ~/.config/fish/completions/petstore.fish"})
final class CompletionCommand extends ConsoleCommand {

    private enum Shell {
        BASH, ZSH, FISH
    }

    @Parameters(paramLabel = "SHELL", arity = "0..1", defaultValue = "bash", showDefaultValue = Visibility.NEVER, description = "bash, zsh or fish. Without it, the script is for bash and zsh.")
    private Shell shell;

    @Override
    public Integer call() {
        CommandLine program = Main.commandLine(console());
        console().show(switch (shell) {
            case BASH, ZSH -> AutoComplete.bash("petstore", program);
            case FISH -> FishCompletion.of(program);
        });
        return Main.DONE;
    }
}
