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
import petstore.CommandFailure;

/// The native library of SQLite, in a file that exists only while it is loaded.
///
/// The driver's own loader leaves its file in the temporary folder if the process is killed. It also deletes files of other processes
/// while they start.
final class SqliteLibrary {

    private static boolean loaded;

    private SqliteLibrary() {
    }

    /// Loads the library once. Errors: [CommandFailure] if the temporary folder cannot be used.
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
            throw CommandFailure.temporaryFolder("cannot be written", e);
        } catch (SQLException | CommandFailure e) {
            throw e;
        } catch (Exception e) {
            throw new SQLException("SQLite cannot be loaded: " + e.getMessage(), e);
        }
    }

    /// Refuses a file system mounted with noexec, where the driver would try and log other libraries.
    private static void requireExecutable(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        if (!Files.isExecutable(file)) {
            throw CommandFailure.temporaryFolder(
                    "does not let SQLite be loaded", new IOException("the file system is mounted with noexec"));
        }
    }

    /// Returns the folder of this machine's library in the driver's jar. On Linux the driver would start a program to detect Android,
    /// which takes longer than loading.
    private static String resourceFolder() {
        if (!"Linux".equals(System.getProperty("os.name"))) {
            return LibraryLoaderUtil.getNativeLibResourcePath();
        }
        return "/org/sqlite/native/" + (OSInfo.isMusl() ? "Linux-Musl/" : "Linux/") + OSInfo.getArchName();
    }
}
