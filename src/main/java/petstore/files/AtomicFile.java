package petstore.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.util.Set;
import java.util.regex.Pattern;

import petstore.CommandFailure;

/// Atomic writes of files: a file appears complete and on disk, or not at all.
public final class AtomicFile {

    /// The longest temporary name, in bytes. SQLite appends up to 8, and some file systems allow 143.
    private static final int LONGEST_PART = 128;
    private static final String PART = ".part";
    /// The reasons of an fsync that the file system of a folder does not support: EINVAL and its like.
    private static final Set<String> UNSUPPORTED = Set.of("Invalid argument", "Bad file descriptor",
            "Function not implemented",
            "Operation not supported");

    /// Creates and writes a file.
    ///
    /// @param <E> the type of exceptions besides `IOException`
    @FunctionalInterface
    public interface Writer<T, E extends Exception> {
        T write(Path part) throws IOException, E;
    }

    private AtomicFile() {
    }

    /// Lets `writer` create a file under a temporary name in the folder of `target`. Moves it to `target` once it is on disk.
    /// Returns the result of `writer`. If `writer` fails, or the process ends, the temporary file is deleted.
    ///
    /// Errors: [CommandFailure] if the folder does not exist.
    public static <T, E extends Exception> T write(Path target, Writer<T, E> writer) throws IOException, E {
        return write(target, false, writer);
    }

    /// Writes a file as [#write] does, but replaces no file. Errors: [CommandFailure] also if another process has created
    /// `target`.
    public static <T, E extends Exception> T create(Path target, Writer<T, E> writer) throws IOException, E {
        return write(target, part -> {
            T result = writer.write(part);
            sync(part);
            try {
                // The following move then changes nothing.
                Files.createLink(target, part);
            } catch (FileAlreadyExistsException e) {
                throw alreadyExists(target);
            } catch (UnsupportedOperationException | FileSystemException e) {
                // Some file systems have no links. There the move replaces a file that appears between these two calls.
                if (exists(target)) {
                    throw alreadyExists(target);
                }
            }
            return result;
        });
    }

    public static CommandFailure alreadyExists(Path target) {
        return new CommandFailure(target + " exists already; choose another name");
    }

    /// Lets `writer` write to an empty file, as [#write] does, for a file that others may read. A new file has the mode that the
    /// umask allows. A replaced file keeps its owner, group and mode; until the move only its owner can read the new one.
    ///
    /// Errors: [CommandFailure] also if owner, group and mode cannot be kept.
    public static <T, E extends Exception> T replace(Path target, Writer<T, E> writer) throws IOException, E {
        return write(target, true, part -> {
            if (exists(target)) {
                PrivateFiles.create(part);
                copyAttributes(target, part, "unix:gid", "unix:uid");
            } else {
                Files.createFile(part);
            }
            return writer.write(part);
        });
    }

    private static <T, E extends Exception> T write(Path target, boolean keepsAccess, Writer<T, E> writer)
            throws IOException, E {
        Path folder = target.toAbsolutePath().resolveSibling(".");
        if (!Files.isDirectory(folder)) {
            throw new CommandFailure("there is no folder for " + target);
        }
        // A name that the file system does not allow fails here, before anything is written.
        exists(target);
        Path part = part(target);
        part.toFile().deleteOnExit();
        try {
            T result = writer.write(part);
            sync(part);
            if (keepsAccess && exists(target)) {
                copyAttributes(target, part, "unix:gid", "unix:uid", "unix:mode");
            }
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
            syncNames(folder);
            return result;
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /// Returns true if there is a file. Errors: `IOException` also if no file can have the name.
    private static boolean exists(Path file) throws IOException {
        try {
            Files.readAttributes(file, BasicFileAttributes.class);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static void copyAttributes(Path target, Path part, String... names) {
        try {
            for (String name : names) {
                Object value = Files.getAttribute(target, name);
                if (!Files.getAttribute(part, name).equals(value)) {
                    Files.setAttribute(part, name, value);
                    if (!Files.getAttribute(part, name).equals(value)) {
                        throw new IOException("the system does not set " + name);
                    }
                }
            }
        } catch (IOException e) {
            throw new CommandFailure("owner, group and mode of " + target
                    + " cannot be kept; run this as the owner of that file, or write to another file", e);
        }
    }

    /// Returns an unused temporary name in the folder of `target`, cut between two code points if it is long.
    private static Path part(Path target) {
        // Random, because processes in containers that share a volume have the same number.
        String end = "." + Long.toHexString(new SecureRandom().nextLong()) + PART;
        String name = target.getFileName().toString();
        while (name.getBytes(StandardCharsets.UTF_8).length + end.length() > LONGEST_PART) {
            name = name.substring(0, name.offsetByCodePoints(name.length(), -1));
        }
        return target.resolveSibling(name + end);
    }

    /// Deletes the temporary files that killed processes have left in a folder. The caller knows that no process writes them.
    ///
    /// @param targets the names of their targets, as a regular expression
    public static void deleteParts(Path folder, String targets) throws IOException {
        Pattern parts = Pattern.compile("(" + targets + ")\\.[0-9a-f]+\\" + PART + ".*");
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder,
                file -> parts.matcher(file.getFileName().toString()).matches() && Files.isRegularFile(file))) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
    }

    /// Waits until the content of a file, or the names in a folder, are on disk.
    public static void sync(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /// Waits until the names in a folder are on disk, if this user may open the folder and its file system can sync it.
    ///
    /// Errors: `IOException` if the disk fails.
    public static void syncNames(Path folder) throws IOException {
        try {
            sync(folder);
        } catch (AccessDeniedException e) {
            // The names follow the content soon.
        } catch (IOException e) {
            if (!UNSUPPORTED.contains(String.valueOf(e.getMessage()))) {
                throw new IOException(
                        "the folder " + folder.toAbsolutePath().normalize() + " cannot be synced: " + e.getMessage(),
                        e);
            }
        }
    }
}
