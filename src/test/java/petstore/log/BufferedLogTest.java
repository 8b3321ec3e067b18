package petstore.log;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.telemetry.RequestLog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

class BufferedLogTest {

    private static final int LINES = 20_000;
    private static final String REFUSAL = "1970-01-01T00:00:00.000Z INFO  audit - refused 401 GET /v1/pets key=-"
            + " from=127.0.0.1 request=";
    private static final String REASON = " reason=\"none\"";
    private static final Pattern MISSING = Pattern.compile(
            "[0-9T:.-]+Z WARN  BufferedLog - (\\d+) lines are missing here, because the log is read too slowly");

    @TempDir
    private Path folder;
    private FileChannel file;

    @BeforeEach
    void openFile() throws IOException {
        file = FileChannel.open(folder.resolve("log"), StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.APPEND);
    }

    @AfterEach
    void closeFile() throws IOException {
        file.close();
    }

    @Test
    void writesWholeLinesOfEachThreadInOrder() throws InterruptedException {
        BufferedLog log = started(file);
        List<Thread> threads = IntStream.range(0, 4).mapToObj(thread -> Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 1_000; i++) {
                log.refused(refusal("thread-" + thread + "-line-" + i));
            }
        })).toList();
        for (Thread thread : threads) {
            thread.join();
        }
        log.close();
        List<String> lines = written().lines().toList();
        for (int thread = 0; thread < 4; thread++) {
            String prefix = REFUSAL + "thread-" + thread + "-line-";
            assertThat(lines.stream().filter(line -> line.startsWith(prefix))
                    .map(line -> line.substring(prefix.length(), line.length() - REASON.length())))
                    .containsExactlyElementsOf(IntStream.range(0, 1_000).mapToObj(String::valueOf).toList());
        }
        assertThat(lines).hasSize(4_000);
    }

    @Test
    void writesEventsAndRequestsInOrder() {
        BufferedLog log = started(file);
        log.refused(refusal("before"));
        LoggingEvent event = new LoggingEvent("", new LoggerContext().getLogger("petstore.store.sqlite.Sqlite"),
                Level.ERROR,
                "The disk failed", null, null);
        event.setTimeStamp(0);
        log.doAppend(event);
        log.refused(refusal("behind"));
        log.close();
        assertThat(written()).isEqualTo(REFUSAL + "before" + REASON + "\n"
                + "1970-01-01T00:00:00.000Z ERROR Sqlite - The disk failed\n"
                + REFUSAL + "behind" + REASON + "\n");
    }

    @Test
    @Timeout(60)
    void dropsAndCountsLinesInsteadOfWaitingForReader() throws IOException, InterruptedException {
        Path pipe = folder.resolve("pipe");
        assumeThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        FileChannel writer;
        FileChannel reader;
        // Opening only one end would wait for the other.
        try (FileChannel _ = FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            writer = FileChannel.open(pipe, StandardOpenOption.WRITE);
            reader = FileChannel.open(pipe, StandardOpenOption.READ);
        }
        BufferedLog log = started(writer);
        String line = "x".repeat(200);
        for (int i = 0; i < LINES; i++) {
            log.refused(refusal(line));
        }
        CompletableFuture<List<String>> read = CompletableFuture.supplyAsync(
                () -> new BufferedReader(Channels.newReader(reader, StandardCharsets.UTF_8)).lines().toList());
        log.close();
        writer.close();
        List<String> lines = read.join();
        reader.close();
        List<Matcher> warnings = lines.stream().filter(text -> !text.endsWith(line + REASON)).map(MISSING::matcher)
                .toList();
        int kept = lines.size() - warnings.size();
        assertThat(kept).isBetween(1_000, LINES - 1_000);
        // More lines may be dropped after the first warning, so there may be several warnings.
        assertThat(warnings).isNotEmpty().allMatch(Matcher::matches);
        assertThat(warnings.stream().mapToInt(found -> Integer.parseInt(found.group(1))).sum())
                .isEqualTo(LINES - kept);
    }

    private String written() {
        try {
            return Files.readString(folder.resolve("log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RequestLog.RefusedKey refusal(String request) {
        return new RequestLog.RefusedKey(0, 401, "GET", "/v1/pets", "-", "127.0.0.1", request, "none");
    }

    private static BufferedLog started(FileChannel out) {
        BufferedLog log = new BufferedLog(new LogLayout(Logging.Format.TEXT), true, out);
        log.start();
        return log;
    }
}
