package petstore.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import petstore.Failure;

/// Files that appear whole and on disk, or not at all.
public final class WholeFile {

    /// The longest temporary name, in bytes: SQLite appends up to 8, and some file systems end names at 143.
    private static final int LONGEST_PART = 128;

    /// Makes a file and writes it.
    ///
    /// @param <T> its result
    /// @param <E> what it throws beside `IOException`
    @FunctionalInterface
    public interface Writing<T, E extends Exception> {
        T to(Path part) throws IOException, E;
    }

    /// Owner, group and mode of a file.
    ///
    /// @param numbers by the names that the system's attributes have in Java
    private record Access(Map<String, Object> numbers) {

        /// The access to a file; absent when there is no file. Errors: `IOException` also when no file can have the name.
        static Optional<Access> of(Path file) throws IOException {
            try {
                return Optional.of(new Access(Files.readAttributes(file, "unix:uid,gid,mode")));
            } catch (NoSuchFileException e) {
                return Optional.empty();
            }
        }

        /// Gives a file this group and owner. Its mode does not change.
        void own(Path file) throws IOException {
            give(file, "gid");
            give(file, "uid");
        }

        /// Gives a file this owner, group and mode. Errors: `IOException` when the system does not, or not quite.
        void applyTo(Path file) throws IOException {
            own(file);
            give(file, "mode");
            if (!of(file).orElseThrow().equals(this)) {
                throw new IOException("the system does not set all of them");
            }
        }

        private void give(Path file, String name) throws IOException {
            Object number = Objects.requireNonNull(numbers.get(name));
            if (!number.equals(Files.getAttribute(file, "unix:" + name))) {
                Files.setAttribute(file, "unix:" + name, number);
            }
        }
    }

    /// Gives a file an access.
    @FunctionalInterface
    private interface Giving {
        void to(Path part) throws IOException;
    }

    private WholeFile() {
    }

    /// Has a file made and written beside `target`, under a name that nobody else uses, and puts it in the place of `target` once
    /// it is on disk. What is left of it is gone when the writing fails, or the process ends.
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE` when there is no folder for it.
    ///
    /// @param writing makes the file
    /// @return the result of `writing`
    public static <T, E extends Exception> T write(Path target, Writing<T, E> writing) throws IOException, E {
        return write(target, writing, _ -> {
        });
    }

    /// As [#write], but for a file that others may read. A new file has the mode that the umask leaves. A file that is replaced
    /// keeps its owner, group and mode; until then its owner alone can read the new one.
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE` also when owner, group and mode cannot be kept.
    ///
    /// @param writing writes to an empty file
    /// @return the result of `writing`
    public static <T, E extends Exception> T replace(Path target, Writing<T, E> writing) throws IOException, E {
        return write(target, part -> {
            Optional<Access> replaced = Access.of(target);
            if (replaced.isEmpty()) {
                Files.createFile(part);
            } else {
                PrivateFiles.create(part);
                keep(target, replaced.get()::own, part);
            }
            return writing.to(part);
        }, part -> {
            Optional<Access> replaced = Access.of(target);
            if (replaced.isPresent()) {
                keep(target, replaced.get()::applyTo, part);
            }
        });
    }

    private static void keep(Path target, Giving access, Path part) {
        try {
            access.to(part);
        } catch (IOException e) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "owner, group and mode of " + target
                    + " cannot be kept; run this as the owner of that file, or write to another file", e);
        }
    }

    private static <T, E extends Exception> T write(Path target, Writing<T, E> writing, Giving access)
            throws IOException, E {
        Path folder = target.toAbsolutePath().resolveSibling(".");
        if (!Files.isDirectory(folder)) {
            throw Failure.unavailable("there is no folder for " + target);
        }
        // A name that no file can have fails here, before anything is written.
        Access.of(target);
        Path part = part(target);
        part.toFile().deleteOnExit();
        try {
            T result = writing.to(part);
            sync(part);
            access.to(part);
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
            syncNames(folder);
            return result;
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /// The temporary name beside `target`, which is cut between two code points if it is long.
    private static Path part(Path target) {
        // In containers that share a volume, processes have the same number.
        String end = "." + Long.toHexString(new SecureRandom().nextLong()) + ".part";
        String name = target.getFileName().toString();
        while (name.getBytes(StandardCharsets.UTF_8).length + end.length() > LONGEST_PART) {
            name = name.substring(0, name.offsetByCodePoints(name.length(), -1));
        }
        return target.resolveSibling(name + end);
    }

    /// Waits until what was written to a file is on disk.
    public static void sync(Path file) throws IOException {
        sync(file, StandardOpenOption.WRITE);
    }

    /// Waits until the names in a folder are on disk too.
    public static void syncNames(Path folder) {
        try {
            sync(folder, StandardOpenOption.READ);
        } catch (IOException e) {
            // Not every file system can, nor may everybody open a folder: the content is on disk, and its name soon will be.
        }
    }

    private static void sync(Path path, OpenOption how) throws IOException {
        try (FileChannel channel = FileChannel.open(path, how)) {
            channel.force(true);
        }
    }
}
