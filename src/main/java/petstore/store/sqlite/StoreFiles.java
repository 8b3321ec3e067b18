package petstore.store.sqlite;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import petstore.CommandFailure;
import petstore.SafeText;

/// The files of an embedded store: their names, and the checks before anything opens them.
///
/// The companions of a database file have its name and a suffix. SQLite finds them by that name alone.
public final class StoreFiles {

    public static final String LOCK = "petstore.lock";
    static final String DATABASE = "petstore.db";

    /// Suffixes of the companions that can hold animals.
    static final List<String> LOGS = List.of("-wal", "-journal");
    static final List<String> COMPANIONS = List.of("-wal", "-journal", "-shm");

    /// The longest name of a file, in bytes.
    private static final int LONGEST_NAME = 255;

    private StoreFiles() {
    }

    /// Returns true if the embedded store uses a file of this name in its folder.
    public static boolean isReserved(String name) {
        return files(Path.of(DATABASE)).anyMatch(Path.of(name)::equals);
    }

    /// Returns a folder's path without symbolic links, so that a command uses one folder from its start to its end. The folder may
    /// be missing.
    ///
    /// Errors: [CommandFailure] if a part of the path cannot be read, or is a symbolic link to a missing file.
    public static Path resolve(Path folder) {
        Path absolute = folder.toAbsolutePath();
        try {
            Path real = realPath(absolute);
            return real.equals(absolute.normalize()) ? folder : real;
        } catch (IOException e) {
            throw unreadable(folder, e);
        }
    }

    private static Path realPath(Path absolute) throws IOException {
        try {
            return absolute.toRealPath();
        } catch (NoSuchFileException e) {
            Path parent = absolute.getParent();
            if (parent == null) {
                throw e;
            }
            if (Files.isSymbolicLink(absolute)) {
                throw new CommandFailure(absolute + " is a symbolic link to a missing folder (--data);"
                        + " make that folder, or remove the link");
            }
            return realPath(parent).resolve(absolute.getFileName());
        }
    }

    /// Checks a database, which need not be the store's own, its companions and the lock beside it, without opening them. Each is
    /// missing, or a regular file with one name.
    ///
    /// Errors: [CommandFailure] that names the file.
    public static void inspect(Path database) {
        files(database).forEach(file -> requireRegular(file, true));
    }

    /// Checks that this process may write a store's folder, if it exists, and its files: SQLite needs that to read the store, too.
    ///
    /// Errors: [CommandFailure] that names the first one that it may not write, and the remedy.
    public static void requireWritable(Path folder) {
        for (Path file : Stream.concat(Stream.of(folder), files(folder.resolve(DATABASE))).toList()) {
            if (Files.exists(file) && !(Files.isReadable(file) && Files.isWritable(file))) {
                throw cannotBeWritten(file,
                        file.equals(folder) ? "the store's folder " + file + " (--data)" : file + "");
            }
        }
    }

    private static CommandFailure cannotBeWritten(Path file, String named) {
        String problem = named + " cannot be written";
        try {
            // The system tells why.
            if (Files.isDirectory(file)) {
                Files.delete(Files.createTempFile(file, "petstore", null));
            } else {
                FileChannel.open(file, StandardOpenOption.WRITE).close();
            }
            throw new AccessDeniedException(named);
        } catch (AccessDeniedException e) {
            return new CommandFailure(problem + "; it belongs to the user " + owner(file)
                    + ": run this as that user, or change the owner", e);
        } catch (IOException e) {
            String reason = e instanceof FileSystemException known ? known.getReason() : e.getMessage();
            return new CommandFailure(problem + ": " + reason + "; to read the store, stop the server,"
                    + " copy the folder to another disk, and name the copy with --data",
                    e);
        }
    }

    private static String owner(Path file) {
        try {
            return Files.getOwner(file).getName();
        } catch (IOException e) {
            return "that owns it";
        }
    }

    /// Checks that a file is missing or regular. It is opened without companions, so it may have several names.
    ///
    /// Errors: [CommandFailure] that names the file.
    static void inspectAlone(Path file) {
        requireRegular(file, false);
    }

    private static void requireRegular(Path file, boolean withOneName) {
        try {
            Map<String, Object> attributes = Files.readAttributes(file, "unix:isSymbolicLink,isRegularFile,nlink",
                    LinkOption.NOFOLLOW_LINKS);
            if (Boolean.TRUE.equals(attributes.get("isSymbolicLink"))) {
                throw new CommandFailure(file + " is a symbolic link; a store has regular files only:"
                        + " put the file itself in the place of the link");
            }
            if (!Boolean.TRUE.equals(attributes.get("isRegularFile"))) {
                throw new CommandFailure(file + " is not a regular file; move it out of the store's folder");
            }
            if (withOneName && !Integer.valueOf(1).equals(attributes.get("nlink"))) {
                throw new CommandFailure(file + " has " + attributes.get("nlink")
                        + " hard links; a store's file has one name: put a copy in its place");
            }
        } catch (NoSuchFileException e) {
            // It is missing.
        } catch (IOException e) {
            throw CommandFailure.of(withOneName ? unreadable(file.resolveSibling("")) : file + " cannot be read", e);
        }
    }

    /// Checks that a log or journal has its database: SQLite would delete it, or replay it over another database.
    ///
    /// Errors: [CommandFailure] that names the file.
    static void requireDatabaseOfLogs(Path database) {
        // A killed start leaves an empty database with a journal that holds nothing. A running one fills the database first.
        Optional<Path> orphan = Files.notExists(database)
                ? companions(database, LOGS).filter(StoreFiles::isPresent).findFirst()
                : Optional.of(SqliteFile.log(database)).filter(log -> hasContent(log) && !hasContent(database));
        if (orphan.isPresent()) {
            throw new CommandFailure(orphan.get() + " belongs to a store, but " + database
                    + " is missing or empty; put that back, or run '" + SafeText.command("restore")
                    + "', or move the log away");
        }
    }

    /// Checks that no file has the name of a companion of a new database. Errors: [CommandFailure].
    static void requireNoCompanion(Path database) {
        companions(database, COMPANIONS).filter(StoreFiles::isPresent).findFirst().ifPresent(companion -> {
            throw new CommandFailure(companion + " would be read as a part of " + database
                    + "; move it away, or choose another name");
        });
    }

    /// Returns true if a database has a log or journal, which may be empty.
    static boolean hasLog(Path database) {
        return companions(database, LOGS).anyMatch(StoreFiles::isPresent);
    }

    /// Returns the log or journal of a database if it is not empty; absent if there is none.
    static Optional<Path> findLog(Path database) {
        return companions(database, LOGS).filter(StoreFiles::hasContent).findFirst();
    }

    static boolean hasContent(Path file) {
        return SqliteFile.bytes(file) > 0;
    }

    /// Returns the identity of a file on this machine. Errors: `NoSuchFileException`.
    static Object key(Path file) throws IOException {
        return Objects.requireNonNull(Files.readAttributes(file, BasicFileAttributes.class).fileKey());
    }

    private static boolean isPresent(Path file) {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    }

    /// Returns the paths of a database, of its companions, and of the lock beside it.
    private static Stream<Path> files(Path database) {
        return Stream.concat(Stream.of(database.resolveSibling(LOCK), database), companions(database, COMPANIONS));
    }

    /// Returns the paths of companions. A backup whose name has the maximum length of file systems cannot have companions.
    private static Stream<Path> companions(Path database, List<String> suffixes) {
        return suffixes.stream().map(suffix -> companion(database, suffix)).filter(
                path -> path.getFileName().toString().getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME);
    }

    static Path companion(Path database, String suffix) {
        return database.resolveSibling(database.getFileName() + suffix);
    }

    static CommandFailure unreadable(Path folder, IOException e) {
        return CommandFailure.of(unreadable(folder), e);
    }

    private static String unreadable(Path folder) {
        return "the store's folder " + folder + " (--data) cannot be read";
    }
}
