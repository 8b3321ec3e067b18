package petstore.app;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import petstore.http.RequestLog;

import static org.assertj.core.api.Assertions.assertThat;

class BufferedLogTest {

    private static final int LINES = 20_000;

    @Test
    void writesEveryLineOfEveryThreadWholeAndInItsOrder() throws InterruptedException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BufferedLog log = BufferedLog.start(new TextLog(), true, out);
        List<Thread> threads = IntStream.range(0, 4).mapToObj(thread -> Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 1_000; i++) {
                log.refused(0, "thread=" + thread + " line=" + i);
            }
        })).toList();
        for (Thread thread : threads) {
            thread.join();
        }
        log.close();
        List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
        for (int thread = 0; thread < 4; thread++) {
            String own = "1970-01-01T00:00:00.000Z INFO  audit - thread=" + thread + " line=";
            assertThat(lines.stream().filter(line -> line.startsWith(own)).map(line -> line.substring(own.length())))
                    .containsExactlyElementsOf(IntStream.range(0, 1_000).mapToObj(String::valueOf).toList());
        }
        assertThat(lines).hasSize(4_000);
    }

    @Test
    void leavesOutTheEndsOfRequestsWhenTheyAreNotWanted() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BufferedLog log = BufferedLog.start(new TextLog(), false, out);
        log.ended(new RequestLog.Entry(0, "answered", "a", "-", "GET", "/v1/pets", 200, 2, "-", 5));
        log.refused(0, "refused 401");
        log.close();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo("1970-01-01T00:00:00.000Z INFO  audit - refused 401\n");
    }

    @Test
    @Timeout(60)
    void dropsAndCountsWhatComesFasterThanItIsReadAndNeverWaits() {
        Logger logger = (Logger) LoggerFactory.getLogger(BufferedLog.class);
        CountDownLatch read = new CountDownLatch(1);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        List<Integer> writtenBefore = new CopyOnWriteArrayList<>();
        ListAppender<ILoggingEvent> warnings = new ListAppender<>() {
            @Override
            protected void append(ILoggingEvent event) {
                writtenBefore.add(written.size());
                super.append(event);
            }
        };
        warnings.start();
        logger.addAppender(warnings);
        BufferedLog log = BufferedLog.start(new TextLog(), true, new OutputStream() {
            @Override
            public void write(int b) {
                throw new AssertionError("many at a time");
            }

            @Override
            public void write(byte[] bytes, int offset, int count) {
                try {
                    read.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                written.write(bytes, offset, count);
            }
        });
        try {
            String line = "x".repeat(200);
            for (int i = 0; i < LINES; i++) {
                log.refused(0, line);
            }
            read.countDown();
            log.close();
        } finally {
            logger.detachAppender(warnings);
        }
        long kept = written.toString(StandardCharsets.UTF_8).lines().count();
        assertThat(kept).isBetween(1_000L, LINES - 1_000L);
        assertThat(writtenBefore).as("what the missing lines come behind").allMatch(size -> size > 0);
        // The writer may have begun before some are dropped, and find others afterwards.
        assertThat(warnings.list).allMatch(warning -> warning.getFormattedMessage()
                .matches("\\d+ lines are missing here, because the log is read too slowly"));
        assertThat(warnings.list.stream().mapToLong(warning -> (Long) warning.getArgumentArray()[0]).sum())
                .isEqualTo(LINES - kept);
    }
}
