package petstore.app;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.http.RequestLog;
import petstore.json.Utf8Builder;

/// Writes events and the ends of requests a moment later, many at a time: whoever logs waits neither for a system call nor for a
/// reader. What comes faster than it is read is dropped and counted.
final class BufferedAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {

    private static final Logger LOG = LoggerFactory.getLogger(BufferedAppender.class);
    private static final int CAPACITY = 1 << 20;
    private static final int USUAL_LENGTH = 512;
    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final Duration STOPPING = Duration.ofSeconds(1);

    private final LogEncoder encoder;
    private final OutputStream out;
    /// Where each thread puts a line together.
    private final ThreadLocal<Utf8Builder> lines = ThreadLocal.withInitial(() -> new Utf8Builder(USUAL_LENGTH));
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Thread thread = Thread.ofPlatform().name("log-writer").daemon().unstarted(this::run);
    /// What has come, and what is being written; they change places.
    private Utf8Builder gathered = new Utf8Builder(CAPACITY);
    private Utf8Builder writing = new Utf8Builder(CAPACITY);
    private long dropped;
    private boolean stopping;

    BufferedAppender(LogEncoder encoder, OutputStream out) {
        this.encoder = encoder;
        this.out = out;
    }

    @Override
    public void start() {
        super.start();
        thread.start();
    }

    @Override
    protected void append(ILoggingEvent event) {
        byte[] line = encoder.encode(event);
        gather(emptyLine().append(line, 0, line.length));
    }

    /// Writes the line for a request that has come to its end.
    void append(RequestLog.Entry entry) {
        Utf8Builder line = emptyLine();
        encoder.append(entry, line);
        gather(line);
    }

    /// Writes a line as if this logger had logged it.
    void append(long epochMilli, String logger, String message) {
        Utf8Builder line = emptyLine();
        encoder.append(epochMilli, logger, message, line);
        gather(line);
    }

    private Utf8Builder emptyLine() {
        Utf8Builder line = lines.get();
        line.clear();
        return line;
    }

    private void gather(Utf8Builder line) {
        lock.lock();
        try {
            if (line.length() > CAPACITY - gathered.length()) {
                dropped++;
                return;
            }
            if (gathered.length() == 0) {
                arrived.signal();
            }
            gathered.append(line);
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (take()) {
                writing.moveTo(out);
                out.flush();
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        } catch (IOException e) {
            // Nobody reads the log any more.
        }
    }

    /// Waits for something to write, and says whether there is any in [#writing]; there will be no more when there is not.
    private boolean take() {
        long missing;
        lock.lock();
        try {
            while (gathered.length() == 0 && !stopping) {
                arrived.awaitUninterruptibly();
            }
            Utf8Builder full = gathered;
            gathered = writing;
            writing = full;
            missing = dropped;
            dropped = 0;
        } finally {
            lock.unlock();
        }
        if (missing > 0) {
            LOG.warn("{} lines are missing here, because the log is read too slowly", missing);
        }
        return writing.length() > 0;
    }

    /// Writes what has come.
    @Override
    public void stop() {
        super.stop();
        lock.lock();
        try {
            stopping = true;
            arrived.signal();
        } finally {
            lock.unlock();
        }
        try {
            thread.join(STOPPING);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
