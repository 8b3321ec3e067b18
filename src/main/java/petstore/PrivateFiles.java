package petstore;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/// Folders and files that their owner alone can read. A file that root makes belongs to the owner of its folder, who is to use it.
public final class PrivateFiles {

    private static final FileAttribute<?> FOLDER = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<?> FILE = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private PrivateFiles() {
    }

    /// Makes a folder, and those that it is in, unless it is there.
    public static void createFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder, FOLDER);
        }
    }

    /// Makes an empty file. Errors: `FileAlreadyExistsException` when its name is taken.
    public static void create(Path file) throws IOException {
        open(file, StandardOpenOption.CREATE_NEW).close();
    }

    /// Makes an empty file that belongs to who makes it. Errors: as [#create].
    static void createOwn(Path file) throws IOException {
        Files.createFile(file, FILE);
    }

    /// Opens a file to read and write it.
    ///
    /// @param how whether it may be there, or must not
    public static FileChannel open(Path file, OpenOption how) throws IOException {
        FileChannel channel = FileChannel.open(file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, how),
                FILE);
        UserPrincipal owner = Files.getOwner(file.resolveSibling("."));
        if (!owner.equals(Files.getOwner(file))) {
            try {
                Files.setOwner(file, owner);
            } catch (FileSystemException e) {
                // Only root may give files away; what others make is for themselves.
            }
        }
        return channel;
    }
}
