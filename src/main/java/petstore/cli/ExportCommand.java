package petstore.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import petstore.CommandFailure;
import petstore.Pet;
import petstore.cli.terminal.ProgressBarOption;
import petstore.files.AtomicFile;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.transfer.Exporter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "export", description = "Writes the catalogue to a file, as it is now, also while a server runs.", footer = {
        "", "Example:", "  petstore export animals.ndjson", "  petstore export animals.csv",
        "  petstore export - --format csv | gzip > animals.csv.gz"})
final class ExportCommand extends TransferCommand implements Runnable {

    @Parameters(paramLabel = "FILE", description = "The file to write or replace, which appears whole or not at all; - for stdout.")
    private Path file;

    @Override
    public void run() {
        chooseFormat(file);
        try (SqlStore open = choice().open(StoreAccess.READ)) {
            long written = isStream(file) ? export(open, console().output()) : exportTo(open, file);
            console().printError("Exported " + Pet.counted(written) + progress.took());
        } catch (IOException e) {
            throw CommandFailure.of("the export cannot be written", e);
        }
    }

    /// Replaces a file, also through a link. Appends to a pipe, a device, and an open file.
    private long exportTo(SqlStore open, Path target) throws IOException {
        if (isOpen(target)) {
            return export(open, Files.newOutputStream(target, StandardOpenOption.APPEND));
        }
        boolean exists = Files.exists(target);
        if (!exists && Files.isSymbolicLink(target)) {
            throw new CommandFailure(
                    target + " is a symbolic link to a missing file; remove the link, or name another file");
        }
        Path replaced = exists ? target.toRealPath() : target;
        choice().requireOther(replaced);
        return AtomicFile.replace(replaced,
                part -> export(open, Files.newOutputStream(part, StandardOpenOption.WRITE)));
    }

    private long export(SqlStore open, OutputStream out) throws IOException {
        try (ProgressBarOption.Display display = progress.start(console(), "export", " animals",
                open.catalogue()::count)) {
            return Exporter.export(open.catalogue(), format, spreadsheet, out, display);
        }
    }
}
