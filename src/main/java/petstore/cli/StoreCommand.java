package petstore.cli;

import java.util.concurrent.Callable;

import petstore.app.StoreChoice;
import petstore.cli.options.StoreOptions;
import petstore.cli.terminal.Console;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// A command on a store.
abstract class StoreCommand implements Callable<Integer> {

    final Console console;
    @Mixin
    final StoreOptions store = new StoreOptions();
    @Spec
    private CommandSpec spec;

    StoreCommand(Console console) {
        this.console = console;
    }

    /// Returns the chosen store. Errors: as for [StoreOptions#choice].
    final StoreChoice choice() {
        return store.choice(console.environment());
    }

    final ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
