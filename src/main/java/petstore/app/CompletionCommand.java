package petstore.app;

import java.util.concurrent.Callable;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `petstore completion`: prints what completes command lines.
@Command(name = "completion", description = "Prints a script that completes command lines in bash and zsh.", footer = {
        "",
        "Example:", "  source <(petstore completion)"})
final class CompletionCommand implements Callable<Integer> {

    private final Console console;

    @Spec
    private CommandSpec spec;

    CompletionCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        console.out().print(AutoComplete.bash("petstore", spec.root().commandLine()));
        console.out().flush();
        return Main.DONE;
    }
}
