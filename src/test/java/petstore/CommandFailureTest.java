package petstore;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/// Messages of failures that the file system causes.
class CommandFailureTest {

    @Test
    void messageHasReasonOfFileSystemError() {
        assertThat(message(new AccessDeniedException("/data"))).isEqualTo("no store: permission denied");
        assertThat(message(new NoSuchFileException("/data"))).isEqualTo("no store: there is no such file");
        assertThat(message(new MalformedInputException(1))).isEqualTo("no store: it is not text in UTF-8");
        assertThat(message(new IOException("No space left on device")))
                .isEqualTo("no store: the disk is full; free some space");
    }

    private static String message(IOException cause) {
        return CommandFailure.of("no store", cause).getMessage();
    }
}
