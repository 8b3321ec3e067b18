package petstore.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

import petstore.Failure;
import petstore.sql.Migrate;
import petstore.sql.PostgresUri;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// Which store a command works on.
final class StoreOptions {

    private static final String PASSWORD = "PETSTORE_DATABASE_PASSWORD";
    private static final String PASSWORD_FILE = "PETSTORE_DATABASE_PASSWORD_FILE";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--data", defaultValue = "./data", paramLabel = "FOLDER", description = "Folder of the embedded store.")
    private Path data;
    @Option(names = "--database", paramLabel = "URL", description = "PostgreSQL database to use instead, as psql is told it: postgresql://user@host1:5432,host2:5432/database.")
    private Optional<PostgresUri> database;
    @Option(names = "--migrate", defaultValue = "auto", paramLabel = "HOW", description = "What is done about an older schema: auto brings it up to date, check refuses it, off does not look.")
    private Migrate migrate;

    /// The choice, with the password that the environment gives for it.
    ///
    /// Errors: `ParameterException` for a choice that makes no sense, [Failure] for a file that cannot be read.
    StoreChoice choice(Map<String, String> environment) {
        return new StoreChoice(data, database.map(uri -> withPassword(uri, environment)), migrate);
    }

    /// Another database, with the password that the environment gives for it. Errors: as for [#choice].
    StoreChoice other(PostgresUri uri, Map<String, String> environment) {
        return new StoreChoice(data, Optional.of(withPassword(uri, environment)), migrate);
    }

    private PostgresUri withPassword(PostgresUri uri, Map<String, String> environment) {
        return uri.orPassword(password(environment));
    }

    /// The folder of the embedded store, for a command that only works on that one.
    Path embedded(String instead) {
        if (database.isPresent()) {
            throw new ParameterException(spec.commandLine(), "this works on the embedded store, not on --database; "
                    + instead);
        }
        return data;
    }

    private Optional<String> password(Map<String, String> environment) {
        String password = environment.get(PASSWORD);
        String file = environment.get(PASSWORD_FILE);
        if (password != null && file != null) {
            throw new ParameterException(spec.commandLine(), PASSWORD + " and " + PASSWORD_FILE
                    + " must not both be set");
        }
        if (file == null) {
            return Optional.ofNullable(password);
        }
        try {
            return Optional.of(Files.readString(Path.of(file)).stripTrailing());
        } catch (IOException e) {
            throw Failure.unavailable(PASSWORD_FILE + " cannot be read: " + file, e);
        }
    }
}
