package petstore.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

class PrivateFilesTest {

    private static final int OTHER_USER = 65_534;

    @TempDir
    private Path folder;

    @Test
    void createsFileReadableByOwnerOnly() throws IOException {
        Path file = folder.resolve("file");
        PrivateFiles.create(file);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertThatThrownBy(() -> PrivateFiles.createForFolder(file)).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void refusesSymbolicLinks() throws IOException {
        Path other = Files.writeString(folder.resolve("other"), "precious");
        Path link = Files.createSymbolicLink(folder.resolve("link"), other);
        Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("nothing"));
        assertThatThrownBy(() -> PrivateFiles.openForFolder(link).close()).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> PrivateFiles.openForFolder(dangling).close()).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> PrivateFiles.create(dangling)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(folder.resolve("nothing")).doesNotExist();
    }

    @Test
    void setsOwnerOfNewFilesOnly() throws IOException {
        Object currentUser = owner(folder);
        assumeThat(currentUser).as("only root can change the owner of a file").isEqualTo(0);
        Path existing = Files.createFile(folder.resolve("found"));
        Files.setAttribute(folder, "unix:uid", OTHER_USER);
        try (FileChannel channel = PrivateFiles.openForFolder(existing)) {
            assertThat(channel.isOpen()).isTrue();
        }
        assertThat(owner(existing)).isEqualTo(currentUser);
        Path own = folder.resolve("own");
        PrivateFiles.create(own);
        assertThat(owner(own)).isEqualTo(currentUser);
        Path theirs = folder.resolve("theirs");
        PrivateFiles.openForFolder(theirs).close();
        assertThat(owner(theirs)).isEqualTo(OTHER_USER);
    }

    private static Object owner(Path file) throws IOException {
        return Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }
}
