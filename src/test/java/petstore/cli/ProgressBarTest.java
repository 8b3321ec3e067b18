package petstore.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.cli.terminal.Console;
import petstore.cli.terminal.ProgressBarOption;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/// The progress bar on a terminal.
class ProgressBarTest {

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Console console = Console.of(InputStream.nullInputStream(), OutputStream.nullOutputStream(), err,
            true, Map.of(), Clock.systemUTC());

    @AfterEach
    void clearWidth() {
        System.clearProperty("petstore.columns");
    }

    private List<String> shownLines() {
        return Pattern.compile("[\r\n]+").splitAsStream(err.toString(UTF_8)).filter(line -> !line.isEmpty()).toList();
    }

    private void show(String unit, long total) {
        try (ProgressBarOption.Display display = new ProgressBarOption().start(console, "restore", unit, () -> total)) {
            display.accept(total);
        }
    }

    @ParameterizedTest
    @CsvSource({"40, '[0-9:]+\\)'", "60, '[0-9:]+ / [0-9:?]+\\)'", "80, '[0-9:]+ / [0-9:?]+\\) .*MiB/s'",
            "200, '[0-9:]+ / [0-9:?]+\\) .*MiB/s'"})
    void fitsIntoTerminal(int columns, String end) {
        System.setProperty("petstore.columns", String.valueOf(columns));
        show(ProgressBarOption.BYTES, 100 << 20);
        assertThat(shownLines()).isNotEmpty().allMatch(line -> line.length() < Math.min(80, columns))
                .last().asString().matches("restore 100% \\[=+] 100/100 MiB \\(" + end + " *");
    }

    @ParameterizedTest
    @CsvSource({"700, 700/700 B", "2048, 2/2 KiB", "2097152, 2/2 MiB"})
    void choosesUnitBySize(long bytes, String ratio) {
        show(ProgressBarOption.BYTES, bytes);
        assertThat(shownLines()).last().asString().contains("] " + ratio + " (");
    }

    @Test
    void endsBeforeTheReport(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("a.ndjson"), "x\n{\"name\":\"Rex\",\"categoryId\":1}\n");
        assertThat(Main.run(console, "import", file.toString(), "--dry-run", "--data", folder.toString()))
                .isEqualTo(Main.FAILED);
        assertThat(err.toString(UTF_8)).containsPattern("\\] +32/32 B .*\nline 1: not valid JSON at character 1\n"
                + "Checked in [0-9.]+ s: 1 animal is good, 1 of 2 is bad\n$");
    }

    @Test
    void endsLineOnSignal() throws InterruptedException {
        try (ProgressBarOption.Display display = new ProgressBarOption().start(console, "export", " animals",
                () -> 1)) {
            display.hook().start();
            display.hook().join();
        }
        assertThat(err.toString(UTF_8)).containsPattern("\\r.*\npetstore: the export was interrupted\n");
    }
}
