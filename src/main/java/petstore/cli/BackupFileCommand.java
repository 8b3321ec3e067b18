package petstore.cli;

import java.nio.file.Path;

import petstore.cli.terminal.ProgressBarOption;
import picocli.CommandLine.Mixin;

/// A command on the embedded store and a backup of it.
abstract class BackupFileCommand extends StoreCommand {

    @Mixin
    final ProgressBarOption progress = new ProgressBarOption();

    /// Returns the folder of the embedded store. Throws `ParameterException` for another store, and for a stream.
    ///
    /// @param tool the program for a PostgreSQL database and its task, e.g. `pg_dump copies`
    /// @param stream the meaning of `-`, which is refused, e.g. `go to stdout`
    final Path folder(String tool, Path file, String stream) {
        Path folder = store.embedded(tool + " a PostgreSQL database");
        if (file.equals(Path.of("-"))) {
            throw wrongUsage("a backup cannot " + stream
                    + ", because it is verified first; name a file, or ./- for one of that name");
        }
        return folder;
    }
}
