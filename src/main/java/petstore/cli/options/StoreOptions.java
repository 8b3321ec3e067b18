package petstore.cli.options;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
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

/// Which store a command works on.
@HasVariables
public final class StoreOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--data", defaultValue = "./data", converter = OptionConverters.Location.class, paramLabel = "FOLDER", description = "Folder of the embedded store.")
    private Path data;
    @Option(names = "--database", paramLabel = "URL", description = "PostgreSQL database to use instead, as a URL of psql: postgresql://user@host1:5432,host2:5432/database.")
    private Optional<PostgresUri> database;
    @Option(names = "--migrate", defaultValue = "auto", paramLabel = "HOW", description = "Schema upgrades: auto applies them, check fails if one is pending.")
    private SchemaPolicy migrate;
    private @Nullable Path resolved;

    /// The choice, with the password that the environment gives for it.
    ///
    /// Errors: `ParameterException` for a choice that makes no sense, [Failure] for a file that cannot be read, or a folder whose
    /// path is too long.
    public StoreChoice choice(Map<String, String> environment) {
        return new StoreChoice(database.isPresent() ? data : folder(),
                database.map(uri -> withPassword(uri, environment)), migrate);
    }

    /// The folder of the embedded store, resolved once: all steps of a command use one folder, wherever a link leads meanwhile.
    private Path folder() {
        if (resolved == null) {
            resolved = StoreFiles.resolve(data);
            SqliteFile.requireOpenable(SqliteFile.in(resolved), resolved);
        }
        return resolved;
    }

    /// Another database, with the password that the environment gives for it. Errors: as for [#choice].
    public StoreChoice other(PostgresUri uri, Map<String, String> environment) {
        return new StoreChoice(data, Optional.of(withPassword(uri, environment)), migrate);
    }

    private PostgresUri withPassword(PostgresUri uri, Map<String, String> environment) {
        return uri.orPassword(SecretVariable.DATABASE_PASSWORD.find(environment, spec.commandLine()));
    }

    /// The command line of a command that only works on the embedded store: what it refuses it does not offer.
    public static CommandLine embeddedOnly(Object command) {
        CommandLine line = new CommandLine(command);
        OptionSpec database = line.getCommandSpec().findOption("--database");
        line.getCommandSpec().remove(database).addOption(OptionSpec.builder(database).hidden(true).build());
        return line;
    }

    /// The folder of the embedded store, for such a command. Errors: as for [#choice].
    public Path embedded(String instead) {
        if (database.isPresent()) {
            throw new ParameterException(spec.commandLine(), "this works on the embedded store, not on --database; "
                    + instead);
        }
        return folder();
    }
}
