package petstore.cli;

import petstore.app.StoreChoice;
import petstore.cli.options.StoreOptions;
import petstore.cli.terminal.ConsoleCommand;
import picocli.CommandLine.Mixin;

abstract class StoreCommand extends ConsoleCommand {

    @Mixin
    final StoreOptions store = new StoreOptions();

    final StoreChoice choice() {
        return store.choice(console().environment());
    }
}
