package petstore.cli;

import java.util.concurrent.Callable;

import petstore.cli.terminal.Console;
import picocli.AutoComplete;
import picocli.CommandLine.Command;

/// `petstore completion`: prints a script for shells.
@Command(name = "completion", description = "Prints a script that completes command lines in bash and zsh.", footer = {
        "",
        "Example:", "  source <(petstore completion)"})
final class CompletionCommand implements Callable<Integer> {

    private final Console console;

    CompletionCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        console.show(AutoComplete.bash("petstore", Main.commandLine(console)));
        return Main.DONE;
    }
}
