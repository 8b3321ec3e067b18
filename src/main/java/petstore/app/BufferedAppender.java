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

/// Writes events and the ends of requests a moment later, many at a time: whoever logs waits neither for a system call nor for a
/// reader. What comes faster than it is read is dropped and counted.
final class BufferedAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {

    private static final Logger LOG = LoggerFactory.getLogger(BufferedAppender.class);
    private static final int CAPACITY = 1 << 20;
    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final Duration STOPPING = Duration.ofSeconds(1);

    private final LogEncoder encoder;
    private final OutputStream out;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Thread thread = Thread.ofPlatform().name("log-writer").daemon().unstarted(this::run);
    /// What has come, and what is being written; they change places.
    private byte[] gathered = new byte[CAPACITY];
    private byte[] writing = new byte[CAPACITY];
    private int length;
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
        append(encoder.encode(event));
    }

    /// Writes the line for a request that has come to its end.
    void append(RequestLog.Entry entry) {
        append(encoder.encode(entry));
    }

    /// Writes a line as if this logger had logged it.
    void append(String logger, String message) {
        append(encoder.encode(logger, message));
    }

    private void append(byte[] line) {
        lock.lock();
        try {
            if (line.length > CAPACITY - length) {
                dropped++;
                return;
            }
            System.arraycopy(line, 0, gathered, length, line.length);
            if (length == 0) {
                arrived.signal();
            }
            length += line.length;
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            for (int taken = take(); taken > 0; taken = take()) {
                out.write(writing, 0, taken);
                out.flush();
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        } catch (IOException e) {
            // Nobody reads the log any more.
        }
    }

    /// Waits for something to write, and gives back how much of [#writing] it takes; 0 when there will be no more.
    private int take() {
        long missing;
        int taken;
        lock.lock();
        try {
            while (length == 0 && !stopping) {
                arrived.awaitUninterruptibly();
            }
            byte[] full = gathered;
            gathered = writing;
            writing = full;
            taken = length;
            length = 0;
            missing = dropped;
            dropped = 0;
        } finally {
            lock.unlock();
        }
        if (missing > 0) {
            LOG.warn("{} lines are missing here, because the log is read too slowly", missing);
        }
        return taken;
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
