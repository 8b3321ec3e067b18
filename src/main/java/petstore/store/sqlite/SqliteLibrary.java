package petstore.store.sqlite;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;

import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;
import org.sqlite.util.OSInfo;
import petstore.Failure;

/// The native library of SQLite, which has to be a file while it is loaded and no longer.
///
/// The driver would leave it behind, in the folder for temporary files, whenever the process does not end by itself, and
/// clears up there after other processes while they start.
final class SqliteLibrary {

    private static boolean loaded;

    private SqliteLibrary() {
    }

    /// Loads the library, once in the life of the process. Errors: [Failure] of kind `UNAVAILABLE` if the folder for temporary files
    /// cannot be used.
    static synchronized void load() throws SQLException {
        if (loaded) {
            return;
        }
        String name = LibraryLoaderUtil.getNativeLibName();
        try {
            Path folder = Files.createTempDirectory("petstore");
            Path file = folder.resolve(name);
            String source = resourceFolder();
            try (InputStream library = SQLiteJDBCLoader.class.getResourceAsStream(source + "/" + name)) {
                if (library == null) {
                    throw new SQLException("there is no SQLite for " + source);
                }
                Files.copy(library, file);
                requireExecutable(file);
                System.setProperty("org.sqlite.lib.path", folder.toString());
                System.setProperty("org.sqlite.lib.name", name);
                loaded = SQLiteJDBCLoader.initialize();
            } finally {
                Files.deleteIfExists(file);
                Files.delete(folder);
            }
        } catch (IOException e) {
            throw Failure.temporaryFolder("cannot be written", e);
        } catch (SQLException | Failure e) {
            throw e;
        } catch (Exception e) {
            throw new SQLException("SQLite cannot be loaded: " + e.getMessage(), e);
        }
    }

    /// Refuses a file system without the right to execute, where the driver would look for another library and log each attempt.
    private static void requireExecutable(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        if (!Files.isExecutable(file)) {
            throw Failure.temporaryFolder(
                    "does not let SQLite be loaded", new IOException("the file system is mounted with noexec"));
        }
    }

    /// Where the driver has the library for this machine. On Linux it would start a program to find out whether this is Android,
    /// which takes longer than to load the library.
    private static String resourceFolder() {
        if (!"Linux".equals(System.getProperty("os.name"))) {
            return LibraryLoaderUtil.getNativeLibResourcePath();
        }
        return "/org/sqlite/native/" + (OSInfo.isMusl() ? "Linux-Musl/" : "Linux/") + OSInfo.getArchName();
    }
}
