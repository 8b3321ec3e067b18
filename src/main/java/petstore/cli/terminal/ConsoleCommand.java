package petstore.cli.terminal;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// A command, whose program supplies the console.
public abstract class ConsoleCommand {

    @Spec
    protected CommandSpec spec;

    /// The root command.
    public interface Program {
        Console console();
    }

    protected final Console console() {
        return ((Program) spec.root().userObject()).console();
    }

    protected final ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
