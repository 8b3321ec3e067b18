package petstore;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;

/// Files that appear whole and on disk, or not at all.
public final class WholeFile {

    /// What makes a file and writes it.
    ///
    /// @param <T> what it has to say of it
    /// @param <E> what it throws beside `IOException`
    @FunctionalInterface
    public interface Writing<T, E extends Exception> {
        T to(Path part) throws IOException, E;
    }

    private WholeFile() {
    }

    /// Has a file made and written beside `target`, under a name that nobody else uses, and puts it in the place of `target` once
    /// it is on disk. What is left of it is gone when the writing fails, or the process ends.
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE` when there is no folder for it.
    ///
    /// @return what `writing` says
    public static <T, E extends Exception> T write(Path target, Writing<T, E> writing) throws IOException, E {
        Path folder = target.toAbsolutePath().resolveSibling(".");
        if (!Files.isDirectory(folder)) {
            throw Failure.unavailable("there is no folder for " + target);
        }
        // In containers that share a volume, processes have the same number.
        String mark = Long.toHexString(new SecureRandom().nextLong());
        Path part = target.resolveSibling(target.getFileName() + "." + mark + ".part");
        part.toFile().deleteOnExit();
        try {
            T result = writing.to(part);
            sync(part);
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
            syncNames(folder);
            return result;
        } finally {
            Files.deleteIfExists(part);
        }
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
