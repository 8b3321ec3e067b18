package petstore.cli.options;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import petstore.CommandFailure;
import petstore.app.EmbeddedStore;
import petstore.app.PostgresStore;
import petstore.app.StoreChoice;
import petstore.store.SchemaPolicy;
import petstore.store.postgres.PostgresUri;
import petstore.store.sqlite.SqliteFile;
import petstore.store.sqlite.StoreFiles;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

public final class StoreOptions implements HasVariables {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--data", defaultValue = "./data", paramLabel = "FOLDER", description = "Folder of the embedded store.")
    private Path data;
    @Option(names = "--database", paramLabel = "URL", description = "PostgreSQL database to use instead, as a URL of psql: postgresql://user@host1:5432,host2:5432/database.")
    private Optional<PostgresUri> database;
    @Option(names = "--migrate", defaultValue = "auto", paramLabel = "HOW", description = "Schema upgrades: auto applies them, check fails if one is pending.")
    private SchemaPolicy migrate;
    private @Nullable Path resolved;

    /// Returns the choice, with the password of the environment.
    ///
    /// Errors: `ParameterException` for an invalid choice, [CommandFailure] for a file that cannot be read, or a folder whose path is too
    /// long.
    public StoreChoice choice(Map<String, String> environment) {
        return database.<StoreChoice>map(uri -> other(uri, environment))
                .orElseGet(() -> new EmbeddedStore(folder(), migrate));
    }

    /// Returns the folder of the embedded store. It is resolved once, so that a changed link does not mix two folders.
    private Path folder() {
        if (resolved == null) {
            resolved = StoreFiles.resolve(data);
            SqliteFile.requireOpenable(SqliteFile.in(resolved), resolved);
        }
        return resolved;
    }

    /// Returns the choice of another database, with the password of the environment. Errors: as for [#choice].
    public StoreChoice other(PostgresUri uri, Map<String, String> environment) {
        Optional<String> password = SecretVariable.DATABASE_PASSWORD.find(environment, spec.commandLine());
        return new PostgresStore(uri.orPassword(password), migrate);
    }

    /// Returns the command line of a command on the embedded store. Its help does not show `--database`, which it refuses.
    public static CommandLine embeddedOnly(Object command) {
        CommandLine line = new CommandLine(command);
        OptionSpec database = line.getCommandSpec().findOption("--database");
        line.getCommandSpec().remove(database).addOption(OptionSpec.builder(database).hidden(true).build());
        return line;
    }

    /// Returns the folder of the embedded store. Errors: as for [#choice], and `ParameterException` with the alternative for
    /// `--database`.
    public Path embedded(String alternative) {
        if (database.isPresent()) {
            throw new ParameterException(spec.commandLine(), "this works on the embedded store, not on --database; "
                    + alternative);
        }
        return folder();
    }
}
