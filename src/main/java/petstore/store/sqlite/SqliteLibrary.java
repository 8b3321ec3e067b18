package petstore.store.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;

import org.sqlite.util.OSInfo;
import petstore.CommandFailure;

/// The native library of SQLite, which the build unpacks into the folder `lib` beside the jar.
///
/// On a system without a library there, the driver unpacks its own into the temporary folder at each start.
final class SqliteLibrary {

    private static final String NAME = "org.sqlite.lib.name";

    private SqliteLibrary() {
    }

    /// Loads the library once. Errors: [CommandFailure] if the file cannot be loaded.
    @SuppressWarnings("restricted") // The manifest of the jar enables native access.
    static synchronized void load() {
        if (System.getProperty(NAME) != null) {
            return;
        }
        // The class path is the jar; tests set the folder. With a cache that was made elsewhere, Java does not know a class's jar.
        Path jar = Path.of(System.getProperty("java.class.path")).toAbsolutePath();
        String folder = System.getProperty("petstore.lib", jar.resolveSibling("lib").toString());
        String system = System.getProperty("os.name") + (OSInfo.isMusl() ? "-Musl-" : "-") + OSInfo.getArchName();
        Path file = Path.of(folder, System.mapLibraryName("sqlitejdbc-" + system));
        if (!Files.exists(file)) {
            return;
        }
        try {
            System.load(file.toString());
        } catch (UnsatisfiedLinkError e) {
            // The driver would log this, and unpack its own library.
            String reason = String.valueOf(e.getMessage()).replaceFirst("^/.*: ", "");
            throw new CommandFailure(
                    file + " cannot be loaded: " + reason + "; unpack petstore again, on a file system without noexec",
                    e);
        }
        System.setProperty("org.sqlite.lib.path", folder);
        System.setProperty(NAME, file.getFileName().toString());
        // Here the driver deletes libraries that it unpacked earlier.
        System.setProperty("org.sqlite.tmpdir", folder);
    }
}
