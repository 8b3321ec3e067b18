package petstore.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import petstore.CommandFailure;
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
    @Option(names = "--spreadsheet", description = "For CSV: in the file, an apostrophe marks what a spreadsheet would change: every name, and integers of more than 15 digits.")
    boolean spreadsheet;

    /// The format of the file, once it is chosen.
    Format format = Format.NDJSON;

    /// Chooses the format of the file. Throws `ParameterException` if it is unknown, or if another option does not fit it.
    ///
    /// @param file the argument of the command; `-` for a stream
    final void chooseFormat(Path file) {
        format = givenFormat.or(() -> findFormat(file)).orElseThrow(() -> wrongUsage(
                "the name " + file + " does not show the format; add --format ndjson or --format csv"));
        if (spreadsheet && format != Format.CSV) {
            throw wrongUsage("--spreadsheet needs --format csv");
        }
    }

    static boolean isStream(Path file) {
        return file.equals(Path.of("-"));
    }

    /// Returns the format by the name of the file, also behind a link; for a stream NDJSON.
    private static Optional<Format> findFormat(Path file) {
        try {
            return isStream(file) || isOpen(file)
                    ? Optional.of(Format.NDJSON)
                    : Format.find((Files.exists(file) ? file.toRealPath() : file).toString());
        } catch (IOException e) {
            throw CommandFailure.of(file + " cannot be read", e);
        }
    }

    /// Returns true for a pipe, a device, and an open descriptor such as `/dev/stdout`. Output is appended to it, because its file may
    /// have other content.
    static boolean isOpen(Path target) throws IOException {
        if (!Files.isRegularFile(target)) {
            return Files.exists(target);
        }
        Path path = target;
        while (Files.isSymbolicLink(path)) {
            Path folder = path.resolveSibling(".").toRealPath();
            if (folder.startsWith("/proc") && folder.endsWith("fd")) {
                return true;
            }
            path = folder.resolve(Files.readSymbolicLink(path));
        }
        return false;
    }
}
