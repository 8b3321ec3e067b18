package petstore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class WholeFileTest {

    @TempDir
    private Path folder;

    @Test
    void appearsOnceItIsWritten() throws Exception {
        Path target = folder.resolve("animals");
        Path written = WholeFile.write(target, part -> {
            Files.writeString(part, "Whiskers");
            assertThat(target).doesNotExist();
            assertThat(part.getParent()).isEqualTo(target.getParent());
            return part;
        });
        assertThat(target).hasContent("Whiskers");
        assertThat(written).doesNotExist();
    }

    @Test
    void takesThePlaceOfAnother() throws Exception {
        Path target = Files.writeString(folder.resolve("animals"), "Rex");
        WholeFile.write(target, part -> Files.writeString(part, "Whiskers"));
        assertThat(target).hasContent("Whiskers");
    }

    /// Processes of two containers have the same number, and so have these.
    @Test
    void twoThatAreWrittenAtOnceAreBothWhole() throws Exception {
        Path target = folder.resolve("animals");
        WholeFile.write(target, part -> {
            Files.writeString(part, "Whis", StandardOpenOption.CREATE_NEW);
            WholeFile.write(target, other -> Files.writeString(other, "Rex", StandardOpenOption.CREATE_NEW));
            assertThat(target).hasContent("Rex");
            return Files.writeString(part, "kers", StandardOpenOption.APPEND);
        });
        assertThat(target).hasContent("Whiskers");
    }

    @Test
    void leavesEverythingAsItWasWhenTheWritingFails() throws Exception {
        Path target = Files.writeString(folder.resolve("animals"), "Rex");
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> WholeFile.write(target, part -> {
            Files.writeString(part, "Whis");
            throw new IOException("the disk is full");
        })).withMessage("the disk is full");
        assertThat(target).hasContent("Rex");
        assertThat(folder).isDirectoryContaining(target::equals).isDirectoryNotContaining(file -> !file.equals(target));
    }
}
