package petstore.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import petstore.cli.terminal.Console;
import petstore.cli.terminal.ProgressBarOption;
import petstore.transfer.Format;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// A command that reads or writes a file of animals.
abstract class TransferCommand extends StoreCommand {

    @Mixin
    final ProgressBarOption progress = new ProgressBarOption();
    @Option(names = "--format", paramLabel = "FORMAT", description = "Format of the file: ndjson or csv. By default, its name decides: .ndjson, .jsonl or .csv; a stream is ndjson.")
    private Optional<Format> givenFormat;
    @Option(names = "--spreadsheet", description = "For CSV: in the file, an apostrophe stands before names that a spreadsheet would take for formulas.")
    boolean spreadsheet;

    /// The format of the file, once the command runs.
    Format format = Format.NDJSON;

    TransferCommand(Console console) {
        super(console);
    }

    @Override
    public final Integer call() {
        format = givenFormat.or(() -> isStream() ? Optional.of(Format.NDJSON) : Format.find(file()))
                .orElseThrow(() -> wrongUsage("the name " + file()
                        + " does not show the format; add --format ndjson or --format csv"));
        if (spreadsheet && format != Format.CSV) {
            throw wrongUsage("--spreadsheet needs --format csv");
        }
        return transfer();
    }

    /// Returns true for stdin and stdout, also by their names in the file system, and for pipes.
    private boolean isStream() {
        Path path = Path.of(file());
        return file().equals("-") || path.startsWith("/dev")
                || (Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path));
    }

    /// Returns the file as it is given; `-` for a stream.
    abstract String file();

    /// Returns the exit code.
    abstract int transfer();
}
