package petstore.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.CommandFailure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assumptions.assumeThat;

class AtomicFileTest {

    private static final String ACCESS = "unix:uid,gid,mode";

    @TempDir
    private Path folder;

    @Test
    void showsFileOnlyWhenComplete() throws Exception {
        Path target = folder.resolve("animals");
        Path written = AtomicFile.write(target, part -> {
            Files.writeString(part, "Whiskers");
            assertThat(target).doesNotExist();
            assertThat(part.getParent()).isEqualTo(target.getParent());
            return part;
        });
        assertThat(target).hasContent("Whiskers");
        assertThat(written).doesNotExist();
    }

    /// Another process may create the file during the write.
    @Test
    void createRefusesExistingFile() throws Exception {
        Path target = folder.resolve("animals");
        AtomicFile.create(target, part -> Files.writeString(part, "Rex"));
        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> AtomicFile.create(target, part -> Files.writeString(part, "Whiskers")))
                .withMessage(target + " exists already; choose another name");
        assertThat(target).hasContent("Rex");
        assertThat(folder).isDirectoryNotContaining(file -> !file.equals(target));
    }

    @Test
    void createsNewFileWithDefaultMode() throws Exception {
        Path other = Files.createFile(folder.resolve("other"));
        Path target = folder.resolve("animals");
        AtomicFile.replace(target, part -> Files.writeString(part, "Whiskers"));
        assertThat(mode(target)).isEqualTo(mode(other));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "r--------", "-w-------", "rw-rw-rw-", "rwx--x--x", "---------"})
    void keepsModeOfReplacedFile(String mode) throws Exception {
        Path target = Files.writeString(folder.resolve("animals"), "Rex");
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString(mode));
        AtomicFile.replace(target, part -> {
            assertThat(mode(part)).as("while the file is incomplete").isEqualTo("rw-------");
            return Files.writeString(part, "Whiskers");
        });
        assertThat(mode(target)).isEqualTo(mode);
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rw-------"));
        assertThat(target).hasContent("Whiskers");
    }

    /// During a long write, somebody may withdraw permissions of the file.
    @Test
    void keepsModeThatIsSetDuringWrite() throws Exception {
        Path target = Files.writeString(folder.resolve("animals"), "Rex");
        AtomicFile.replace(target, part -> {
            Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rw-------"));
            return Files.writeString(part, "Whiskers");
        });
        assertThat(mode(target)).isEqualTo("rw-------");
    }

    @Test
    void keepsOwnerAndGroupOfReplacedFile() throws Exception {
        Path target = Files.writeString(folder.resolve("animals"), "Rex");
        assumeThat(Files.getAttribute(target, "unix:uid")).as("only root can change the owner of a file").isEqualTo(0);
        Files.setAttribute(target, "unix:gid", 65_533);
        Files.setAttribute(target, "unix:uid", 65_534);
        Files.setAttribute(target, "unix:mode", 06750);
        Map<String, Object> before = Files.readAttributes(target, ACCESS);
        AtomicFile.replace(target, part -> Files.writeString(part, "Whiskers"));
        assertThat(target).hasContent("Whiskers");
        assertThat(Files.readAttributes(target, ACCESS)).isEqualTo(before);
    }

    /// Names of 255 bytes, the limit of file systems. In two of them, a cut by bytes or chars would split a character.
    @ParameterizedTest
    @ValueSource(strings = {"a", "ü", "x😀"})
    void acceptsLongestNameOfFileSystem(String unit) throws Exception {
        byte[] bytes = unit.getBytes(StandardCharsets.UTF_8);
        String name = unit.repeat(255 / bytes.length) + "b".repeat(255 % bytes.length);
        Path target = folder.resolve(name);
        AtomicFile.write(target, part -> {
            assertThat(part.getFileName().toString()).startsWith(unit).doesNotContain("?", "\uFFFD").endsWith(".part");
            assertThat(part.getFileName().toString().getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(240);
            return Files.writeString(part, "Whiskers");
        });
        assertThat(target).hasContent("Whiskers");
    }

    @Test
    void refusesTooLongNameBeforeWriting() {
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> AtomicFile.write(folder.resolve("a".repeat(256)),
                _ -> fail("the writer is called"))).withMessageContaining("too long");
        assertThat(folder).isEmptyDirectory();
    }

    /// Both writes have the same process id, like processes of two containers.
    @Test
    void completesConcurrentWrites() throws Exception {
        Path target = folder.resolve("animals");
        AtomicFile.write(target, part -> {
            Files.writeString(part, "Whis", StandardOpenOption.CREATE_NEW);
            AtomicFile.write(target, other -> Files.writeString(other, "Rex", StandardOpenOption.CREATE_NEW));
            assertThat(target).hasContent("Rex");
            return Files.writeString(part, "kers", StandardOpenOption.APPEND);
        });
        assertThat(target).hasContent("Whiskers");
    }

    @Test
    void changesNothingIfTheWriterFails() throws Exception {
        Path target = Files.writeString(folder.resolve("animals"), "Rex");
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> AtomicFile.write(target, part -> {
            Files.writeString(part, "Whis");
            throw new IOException("the disk is full");
        })).withMessage("the disk is full");
        assertThat(target).hasContent("Rex");
        assertThat(folder).isDirectoryContaining(target::equals).isDirectoryNotContaining(file -> !file.equals(target));
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
