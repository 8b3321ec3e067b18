package petstore.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/// Creates folders and files that only their owner can read.
public final class PrivateFiles {

    private static final FileAttribute<?> FOLDER = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<?> FILE = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private PrivateFiles() {
    }

    /// Creates a folder and its parents, unless it exists. Each new name is on disk then.
    public static void createFolder(Path folder) throws IOException {
        Path absolute = folder.toAbsolutePath();
        Path parent = absolute.getParent();
        if (!Files.isDirectory(absolute) && parent != null) {
            createFolder(parent);
            // Does nothing if another process has created it meanwhile.
            Files.createDirectories(absolute, FOLDER);
            AtomicFile.syncNames(parent);
        }
    }

    /// Creates an empty file for the user of this process. Errors: `FileAlreadyExistsException` if the name is taken, also by a
    /// symbolic link.
    public static void create(Path file) throws IOException {
        createNew(file).close();
    }

    /// Creates an empty file as [#create] does. If this process runs as root, the file belongs to the owner of its folder.
    public static void createForFolder(Path file) throws IOException {
        createNewForFolder(file).close();
    }

    /// Opens a file for reading and writing. A new file is created as by [#createForFolder]. Errors: `IOException` also for a
    /// symbolic link.
    public static FileChannel openForFolder(Path file) throws IOException {
        try {
            return createNewForFolder(file);
        } catch (FileAlreadyExistsException e) {
            return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        }
    }

    private static FileChannel createNewForFolder(Path file) throws IOException {
        // Before the file is created, because it may fail.
        UserPrincipal owner = Files.getOwner(file.resolveSibling("."));
        FileChannel channel = createNew(file);
        FileOwnerAttributeView created = Files.getFileAttributeView(file, FileOwnerAttributeView.class,
                LinkOption.NOFOLLOW_LINKS);
        if (!owner.equals(created.getOwner())) {
            try {
                created.setOwner(owner);
            } catch (FileSystemException e) {
                // Only root may change the owner. The file stays with the user of this process.
            }
        }
        return channel;
    }

    private static FileChannel createNew(Path file) throws IOException {
        return FileChannel.open(file,
                Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), FILE);
    }
}
