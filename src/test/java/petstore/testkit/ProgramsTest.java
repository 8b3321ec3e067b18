package petstore.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ProgramsTest {

    /// Maven sets `LC_ALL` for the tests.
    @Test
    void programsAreAlikeInBackgroundOfScript() throws IOException, InterruptedException {
        ProcessBuilder builder = Programs.builder(List.of("sh", "-c", "umask; env; kill -INT $$; echo goes on"));
        builder.command(Stream.concat(
                Stream.of("sh", "-c", "trap '' INT; umask 077; \"$@\"", "sh"), builder.command().stream())
                .toList());
        Process script = builder.start();
        String out = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(script.waitFor()).as(out).isEqualTo(130);
        assertThat(out.lines()).startsWith("0022").contains("LANG=C.UTF-8").doesNotContain("LC_ALL=C.UTF-8", "goes on");
    }
}
