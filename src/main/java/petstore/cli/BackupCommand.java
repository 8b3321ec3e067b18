package petstore.cli;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import petstore.Failure;
import petstore.app.StoreChoice;
import petstore.cli.options.StoreOptions;
import petstore.cli.terminal.Console;
import petstore.cli.terminal.ProgressBarOption;
import petstore.store.sqlite.SqliteCopy;
import petstore.store.sqlite.VerifiedBackup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `petstore backup`: copies the embedded store.
@Command(name = "backup", description = "Copies the embedded store to a file and verifies the copy; beside a running server too.", footer = {
        "", "Example:", "  petstore backup /backups/petstore-2026-11-21.db"})
final class BackupCommand implements Callable<Integer> {

    private final Console console;

    @Mixin
    private final StoreOptions store = new StoreOptions();
    @Mixin
    private final ProgressBarOption progress = new ProgressBarOption();
    @Spec
    private CommandSpec spec;
    @Parameters(paramLabel = "FILE", description = "Where to; must not exist.")
    private Path file;

    BackupCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Path folder = store.embedded("pg_dump copies a PostgreSQL database");
        if (file.equals(Path.of("-"))) {
            throw new ParameterException(spec.commandLine(),
                    "a backup cannot go to stdout, because it is verified first; name a file, or ./- for one of that name");
        }
        StoreChoice.requireEmbedded(folder);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw Failure.unavailable(file + " exists already; a backup replaces nothing");
        }
        store.choice(console.environment()).requireOther(file);
        VerifiedBackup backup;
        try (ProgressBarOption.Display display = progress.start(console, "backup", " pages", 1,
                () -> SqliteCopy.pages(folder))) {
            backup = SqliteCopy.backup(folder, file, display);
        }
        console.tell("Backed up " + backup.pets() + " animals to " + file + ", verified");
        if (!backup.hasChecksum()) {
            console.tell("warning: " + file + " has no checksum, because the store has an older schema");
        }
        return Main.DONE;
    }
}
