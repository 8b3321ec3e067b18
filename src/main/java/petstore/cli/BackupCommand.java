package petstore.cli;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;

import petstore.CommandFailure;
import petstore.Pet;
import petstore.cli.terminal.ProgressBarOption;
import petstore.files.AtomicFile;
import petstore.store.sqlite.BackupTime;
import petstore.store.sqlite.SqliteCopy;
import petstore.store.sqlite.SqliteCopy.VerifiedBackup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "backup", description = "Copies the embedded store to a file and verifies the copy, also while a server runs.", footer = {
        "", "Example:", "  petstore backup /backups/petstore-2026-11-21.db"})
final class BackupCommand extends BackupFileCommand implements Runnable {

    @Parameters(paramLabel = "FILE", description = "The new backup; must not exist.")
    private Path file;

    @Option(names = "--prove", description = "Also restores the copy, into a scratch folder beside FILE, before FILE appears.")
    private boolean proves;

    @Override
    public void run() {
        Path folder = folder("pg_dump copies", file, "go to stdout");
        choice().requireExisting();
        choice().requireOther(file);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw AtomicFile.alreadyExists(file);
        }
        Instant began = console().clock().instant();
        VerifiedBackup backup;
        try (ProgressBarOption.Display display = progress.start(console(), "backup", " pages",
                () -> SqliteCopy.PASSES * SqliteCopy.pages(folder))) {
            backup = SqliteCopy.backup(folder, file, began, proves, display);
        }
        console().printError("Backed up " + Pet.counted(backup.pets()) + " to " + file + progress.took() + ", verified"
                + (proves ? " and restored into a scratch folder" : ""));
        try {
            // For the metric of its age.
            BackupTime.record(folder, began);
        } catch (CommandFailure e) {
            // The backup itself is valid.
            console().printError("warning: the store does not record this backup: " + e.getMessage());
        }
    }
}
