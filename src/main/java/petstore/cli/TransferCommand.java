package petstore.cli;

import petstore.cli.terminal.Console;
import petstore.cli.terminal.ProgressBarOption;
import petstore.transfer.Format;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// A command that reads or writes a file of animals.
abstract class TransferCommand extends StoreCommand {

    @Mixin
    final ProgressBarOption progress = new ProgressBarOption();
    @Option(names = "--format", defaultValue = "ndjson", paramLabel = "FORMAT", description = "Format of the file: ndjson or csv.")
    Format format;
    @Option(names = "--spreadsheet", description = "For CSV: in the file, an apostrophe stands before names that a spreadsheet would take for formulas.")
    boolean spreadsheet;

    TransferCommand(Console console) {
        super(console);
    }

    @Override
    public final Integer call() {
        if (spreadsheet && format != Format.CSV) {
            throw wrongUsage("--spreadsheet needs --format csv");
        }
        return transfer();
    }

    /// Returns the exit code.
    abstract int transfer();
}
