package petstore.log;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import petstore.http.telemetry.RequestLog;
import petstore.json.Utf8Builder;

/// Writes events and lines about requests a moment later, many at a time: whoever logs, be it an event loop, waits neither for a
/// system call nor for a reader. What comes faster than it is read is dropped and counted.
public final class BufferedLog extends UnsynchronizedAppenderBase<ILoggingEvent> implements RequestLog, AutoCloseable {

    private static final int CAPACITY = 1 << 20;
    private static final int USUAL_LENGTH = 512;
    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final Duration STOPPING = Duration.ofSeconds(1);

    private final LogEncoder encoder;
    private final boolean access;
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
    private boolean closed;

    /// Writes to `out`, once it is started.
    ///
    /// @param access whether there is a line for every request
    BufferedLog(LogEncoder encoder, boolean access, OutputStream out) {
        this.encoder = encoder;
        this.access = access;
        this.out = out;
    }

    @Override
    public void start() {
        super.start();
        thread.start();
    }

    @Override
    protected void append(ILoggingEvent event) {
        byte[] bytes = encoder.encode(event);
        Utf8Builder line = emptyLine();
        line.append(bytes);
        gather(line);
    }

    @Override
    public void ended(Entry entry) {
        if (access) {
            Utf8Builder line = emptyLine();
            encoder.append(entry, line);
            gather(line);
        }
    }

    @Override
    public void refused(Refusal refusal) {
        Utf8Builder line = emptyLine();
        encoder.append(refusal, line);
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
            for (long missing = take(); writing.length() > 0; missing = take()) {
                if (missing > 0) {
                    encoder.append(System.currentTimeMillis(), Level.WARN, BufferedLog.class.getSimpleName(),
                            missing + " lines are missing here, because the log is read too slowly", writing);
                }
                writing.moveTo(out);
                out.flush();
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        } catch (IOException e) {
            // Nobody reads the log any more.
        }
    }

    /// Waits for something to write, which is in [#writing] then, and says how many lines are missing behind it. There will be no
    /// more when there is none.
    private long take() {
        lock.lock();
        try {
            while (gathered.length() == 0 && !closed) {
                arrived.awaitUninterruptibly();
            }
            Utf8Builder full = gathered;
            gathered = writing;
            writing = full;
            long missing = dropped;
            dropped = 0;
            return missing;
        } finally {
            lock.unlock();
        }
    }

    /// Writes what has come. What comes afterwards is lost.
    @Override
    public void stop() {
        super.stop();
        lock.lock();
        try {
            closed = true;
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

    @Override
    public void close() {
        stop();
    }
}
