package petstore.cli;

import java.nio.file.Path;

import petstore.SafeText;
import petstore.cli.options.HasVariables;
import petstore.cli.terminal.ProgressBarOption;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.postgres.PostgresUri;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "move", description = "Copies the embedded store, keys too, to an empty PostgreSQL database and compares both; not while a server runs.", footer = {
        "", "Example:", "  petstore move --to postgresql://petstore@db.example:5432/petstore"})
final class MoveCommand extends StoreCommand implements HasVariables, Runnable {

    @Mixin
    private final ProgressBarOption progress = new ProgressBarOption();
    @Option(names = "--to", required = true, paramLabel = "URL", description = "The empty PostgreSQL database, as a URL of psql; its password belongs in PETSTORE_DATABASE_PASSWORD.")
    private PostgresUri to;

    @Override
    public void run() {
        Path folder = store.embedded("pg_dump copies a PostgreSQL database");
        choice().requireExisting();
        SqlStore.Summary moved;
        try (SqlStore source = choice().open(StoreAccess.EXCLUSIVE);
                SqlStore target = store.other(to, console().environment()).open(StoreAccess.CREATE);
                ProgressBarOption.Display display = progress.start(console(), "move", " animals",
                        () -> 2 * source.catalogue().count())) {
            moved = source.copyTo(target, display);
        }
        console().printError("Moved to " + to + progress.took() + ", both sides compared: " + moved);
        console().printError("Nothing was removed from " + folder + "; next: "
                + SafeText.command("serve --database " + SafeText.word(to.withoutPassword())));
    }
}
