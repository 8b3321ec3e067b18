package petstore.log;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petstore.http.telemetry.RequestLog;

import static org.assertj.core.api.Assertions.assertThat;

class BufferedLogTest {

    private static final int LINES = 20_000;
    private static final String REFUSAL = "1970-01-01T00:00:00.000Z INFO  audit - refused 401 GET /v1/pets key=-"
            + " from=127.0.0.1 request=";
    private static final String REASON = " reason=\"none\"";
    private static final Pattern MISSING = Pattern.compile(
            "[0-9T:.-]+Z WARN  BufferedLog - (\\d+) lines are missing here, because the log is read too slowly");

    @Test
    void writesWholeLinesOfEachThreadInOrder() throws InterruptedException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BufferedLog log = started(true, out);
        List<Thread> threads = IntStream.range(0, 4).mapToObj(thread -> Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 1_000; i++) {
                log.refused(refusal("thread-" + thread + "-line-" + i));
            }
        })).toList();
        for (Thread thread : threads) {
            thread.join();
        }
        log.close();
        List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
        for (int thread = 0; thread < 4; thread++) {
            String prefix = REFUSAL + "thread-" + thread + "-line-";
            assertThat(lines.stream().filter(line -> line.startsWith(prefix))
                    .map(line -> line.substring(prefix.length(), line.length() - REASON.length())))
                    .containsExactlyElementsOf(IntStream.range(0, 1_000).mapToObj(String::valueOf).toList());
        }
        assertThat(lines).hasSize(4_000);
    }

    @Test
    void omitsRequestsIfAccessLogIsOff() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BufferedLog log = started(false, out);
        log.finished(LogLayoutTest.FINISHED, "-");
        log.refused(refusal("b"));
        log.close();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo(REFUSAL + "b" + REASON + "\n");
    }

    @Test
    void writesEventsAndRequestsInOrder() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BufferedLog log = started(true, out);
        log.refused(refusal("before"));
        LoggingEvent event = new LoggingEvent("", new LoggerContext().getLogger("petstore.store.sqlite.Sqlite"),
                Level.ERROR,
                "The disk failed", null, null);
        event.setTimeStamp(0);
        log.doAppend(event);
        log.refused(refusal("behind"));
        log.close();
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(REFUSAL + "before" + REASON + "\n"
                + "1970-01-01T00:00:00.000Z ERROR Sqlite - The disk failed\n"
                + REFUSAL + "behind" + REASON + "\n");
    }

    @Test
    @Timeout(60)
    void dropsAndCountsLinesInsteadOfWaitingForReader() {
        CountDownLatch mayRead = new CountDownLatch(1);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        BufferedLog log = started(true, new OutputStream() {
            @Override
            public void write(int b) {
                throw new AssertionError("single byte written");
            }

            @Override
            public void write(byte[] bytes, int offset, int count) {
                try {
                    mayRead.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                written.write(bytes, offset, count);
            }
        });
        String line = "x".repeat(200);
        for (int i = 0; i < LINES; i++) {
            log.refused(refusal(line));
        }
        mayRead.countDown();
        log.close();
        List<String> lines = written.toString(StandardCharsets.UTF_8).lines().toList();
        List<Matcher> warnings = lines.stream().filter(text -> !text.endsWith(line + REASON)).map(MISSING::matcher)
                .toList();
        int kept = lines.size() - warnings.size();
        assertThat(kept).isBetween(1_000, LINES - 1_000);
        // More lines may be dropped after the first warning, so there may be several warnings.
        assertThat(warnings).isNotEmpty().allMatch(Matcher::matches);
        assertThat(warnings.stream().mapToInt(found -> Integer.parseInt(found.group(1))).sum())
                .isEqualTo(LINES - kept);
    }

    private static RequestLog.RefusedKey refusal(String request) {
        return new RequestLog.RefusedKey(0, 401, "GET", "/v1/pets", "-", "127.0.0.1", request, "none");
    }

    private static BufferedLog started(boolean access, OutputStream out) {
        BufferedLog log = new BufferedLog(new LogLayout(Logging.Format.TEXT), access, out);
        log.start();
        return log;
    }
}
