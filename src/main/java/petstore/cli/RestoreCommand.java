package petstore.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import petstore.Failure;
import petstore.cli.options.StoreOptions;
import petstore.cli.terminal.Console;
import petstore.cli.terminal.ProgressBarOption;
import petstore.store.sqlite.FolderLock;
import petstore.store.sqlite.SqliteCopy;
import petstore.store.sqlite.VerifiedBackup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `petstore restore`: puts a backup in the place of the embedded store.
@Command(name = "restore", description = "Puts a backup in the place of the embedded store, which is kept aside; not while a server runs.", footer = {
        "", "Example:", "  petstore restore /backups/petstore-2026-11-21.db"})
final class RestoreCommand implements Callable<Integer> {

    private final Console console;

    @Mixin
    private final StoreOptions store = new StoreOptions();
    @Mixin
    private final ProgressBarOption progress = new ProgressBarOption();
    @Spec
    private CommandSpec spec;
    @Parameters(paramLabel = "FILE", description = "The backup, as 'petstore backup' made it.")
    private Path file;

    RestoreCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Path folder = store.embedded("pg_restore restores a PostgreSQL database");
        if (file.equals(Path.of("-"))) {
            throw new ParameterException(spec.commandLine(),
                    "a backup cannot come from stdin, because it is verified first; name a file, or ./- for one of that name");
        }
        requireFile();
        VerifiedBackup backup;
        SqliteCopy.Restored restored;
        try (ProgressBarOption.Display display = progress.start(console, "restore", " steps", 1, () -> 2)) {
            // Before anything is made in the folder.
            backup = SqliteCopy.verify(file);
            display.accept(1);
            try (FolderLock _ = FolderLock.replace(folder)) {
                restored = SqliteCopy.restore(file, folder, console.clock().instant());
            }
            display.accept(2);
        }
        console.tell("Restored " + backup.pets() + " animals in " + folder
                + restored.kept().stream().map(Path::toString)
                        .collect(Collectors.collectingAndThen(Collectors.joining(" and "),
                                kept -> kept.isEmpty() ? "" : "; the store before is kept as " + kept)));
        if (!backup.hasChecksum()) {
            console.tell("warning: " + file + " has no checksum, so it may have been altered unnoticed;"
                    + " 'petstore backup' adds a checksum");
        }
        if (!restored.keepsIds()) {
            console.tell("The store before is damaged: ids that it gave out may be given out again");
        }
        return Main.DONE;
    }

    private void requireFile() {
        try {
            if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
                throw Failure.unavailable(file + " is no file");
            }
        } catch (IOException e) {
            throw Failure.unavailable(file + " cannot be read", e);
        }
    }
}
