package petstore.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.stream.Collectors;

import petstore.CommandFailure;
import petstore.Pet;
import petstore.SafeText;
import petstore.cli.terminal.ProgressBarOption;
import petstore.store.sqlite.SqliteRestore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "restore", description = "Replaces the embedded store by a backup, and keeps the replaced store; not while a server runs.", footer = {
        "", "Example:", "  petstore restore /backups/petstore-2026-11-21.db"})
final class RestoreCommand extends BackupFileCommand implements Runnable {

    @Parameters(paramLabel = "FILE", description = "The backup, as 'petstore backup' made it.")
    private Path file;

    @Override
    public void run() {
        Path folder = folder("pg_restore restores", file, "come from stdin");
        try {
            if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
                throw new CommandFailure(file + " is not a file");
            }
        } catch (IOException e) {
            throw CommandFailure.of(file + " cannot be read", e);
        }
        SqliteRestore.Restored restored;
        try (ProgressBarOption.Display display = progress.start(console(), "restore", " steps",
                () -> SqliteRestore.PASSES)) {
            restored = SqliteRestore.restore(file, folder, console().clock().instant(), display);
        }
        String kept = restored.kept().stream().map(Path::toString).collect(Collectors.joining(" and "));
        console().printError("Restored " + Pet.counted(restored.backup().pets()) + " to " + folder + progress.took()
                + (kept.isEmpty() ? "" : "; the store before is kept as " + kept));
        if (!restored.backup().hasChecksum()) {
            console().printError("warning: " + file + " has no checksum, so it may have been altered unnoticed; '"
                    + SafeText.command("backup") + "' adds a checksum");
        }
        if (!restored.keepsIds()) {
            console().printError("The store before is damaged: ids that it used may be used again");
        }
    }
}
