package petstore.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;

import petstore.Failure;
import petstore.cli.options.StoreOptions;
import petstore.cli.terminal.Console;
import petstore.cli.terminal.ProgressBarOption;
import petstore.files.AtomicFile;
import petstore.store.SqlStore;
import petstore.transfer.Exporter;
import petstore.transfer.Format;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `petstore export`: writes the catalogue to a file or to stdout.
@Command(name = "export", description = "Writes the catalogue to a file, as it is now; beside a running server too.", footer = {
        "", "Example:", "  petstore export animals.ndjson", "  petstore export - --format csv | gzip > animals.csv.gz"})
final class ExportCommand implements Callable<Integer> {

    private final Console console;

    @Spec
    private CommandSpec spec;
    @Mixin
    private final StoreOptions store = new StoreOptions();
    @Mixin
    private final ProgressBarOption progress = new ProgressBarOption();
    @Option(names = "--format", defaultValue = "ndjson", paramLabel = "FORMAT", description = "How animals are written: ndjson or csv.")
    private Format format;
    @Option(names = "--spreadsheet", description = "For CSV: puts an apostrophe before names that a spreadsheet would take for formulas.")
    private boolean spreadsheet;
    @Parameters(paramLabel = "FILE", description = "Where to; - for stdout. A file appears whole or not at all.")
    private String file;

    ExportCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (spreadsheet && format != Format.CSV) {
            throw new ParameterException(spec.commandLine(), "--spreadsheet needs --format csv");
        }
        try (SqlStore open = store.choice(console.environment()).existing().openToRead()) {
            long written = file.equals("-") ? export(open, console.output()) : exportTo(open, Path.of(file));
            console.tell("Exported " + written + " animals");
            return Main.DONE;
        } catch (IOException e) {
            throw Failure.unavailable("the export cannot be written", e);
        }
    }

    /// Writes to a pipe or a device as it is, to the end of a file that is open, and to the file that a link leads to.
    private long exportTo(SqlStore open, Path target) throws IOException {
        if (!Files.exists(target)) {
            if (Files.isSymbolicLink(target)) {
                throw Failure.unavailable(
                        target + " is a symbolic link to a missing file; remove the link, or name another file");
            }
            return exportToFile(open, target);
        }
        return Files.isRegularFile(target) && !isOpen(target)
                ? exportToFile(open, target.toRealPath())
                : export(open, Files.newOutputStream(target, StandardOpenOption.APPEND));
    }

    /// Whether a path leads to what a process has open, as `/dev/stdout` does: that belongs to whoever opened it, with all that is
    /// in it.
    private static boolean isOpen(Path target) throws IOException {
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

    private long exportToFile(SqlStore open, Path target) throws IOException {
        store.choice(console.environment()).requireOther(target);
        return AtomicFile.replace(target,
                part -> export(open, Files.newOutputStream(part, StandardOpenOption.WRITE)));
    }

    private long export(SqlStore open, OutputStream out) throws IOException {
        try (ProgressBarOption.Display display = progress.start(console, "export", " animals", 1,
                open.catalogue()::count)) {
            return Exporter.export(open.catalogue(), format, spreadsheet, out, display);
        }
    }
}
