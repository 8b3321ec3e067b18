package petstore.log;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import petstore.http.telemetry.FinishedRequest;
import petstore.http.telemetry.RequestLog;

/// An appender for events and requests that writes from a thread of its own, many lines at a time. Threads that log never wait
/// for a system call. Lines that come faster than they are read are dropped and counted.
public final class BufferedLog extends UnsynchronizedAppenderBase<ILoggingEvent> implements RequestLog, AutoCloseable {

    private static final int CAPACITY = 1 << 20;
    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final Duration CLOSING = Duration.ofSeconds(1);

    private final LogLayout layout;
    private final boolean access;
    private final OutputStream out;
    private final Thread thread = Thread.ofPlatform().name("log-writer").daemon().unstarted(this::run);
    /// The two buffers swap roles.
    private ByteArrayOutputStream gathered = new ByteArrayOutputStream(CAPACITY);
    private ByteArrayOutputStream writing = new ByteArrayOutputStream(CAPACITY);
    private long dropped;
    private boolean closed;

    /// @param access true for a line for each finished request
    BufferedLog(LogLayout layout, boolean access, OutputStream out) {
        this.layout = layout;
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
        gather(layout.doLayout(event));
    }

    @Override
    public void finished(FinishedRequest request, String trace) {
        if (access) {
            gather(layout.line(request, trace));
        }
    }

    @Override
    public void refused(RefusedKey refusal) {
        gather(layout.line(refusal));
    }

    private void gather(String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        synchronized (this) {
            if (bytes.length > CAPACITY - gathered.size()) {
                dropped++;
                return;
            }
            if (gathered.size() == 0) {
                notifyAll();
            }
            gathered.writeBytes(bytes);
        }
    }

    private void run() {
        try {
            for (long missing = swap(); writing.size() > 0; missing = swap()) {
                if (missing > 0) {
                    writing.writeBytes(
                            layout.line(System.currentTimeMillis(), Level.WARN, BufferedLog.class.getSimpleName(),
                                    missing + " lines are missing here, because the log is read too slowly", "",
                                    List.of()).getBytes(StandardCharsets.UTF_8));
                }
                writing.writeTo(out);
                out.flush();
                writing.reset();
                Thread.sleep(PAUSE);
            }
        } catch (IOException | InterruptedException e) {
            // The reader of the log is gone. No code interrupts this thread.
        }
    }

    /// Waits for lines, and moves them to [#writing], which stays empty after the end. Returns the number of lines that were dropped
    /// after them.
    private synchronized long swap() throws InterruptedException {
        while (gathered.size() == 0 && !closed) {
            wait();
        }
        ByteArrayOutputStream full = gathered;
        gathered = writing;
        writing = full;
        long missing = dropped;
        dropped = 0;
        return missing;
    }

    /// Writes the gathered lines, for at most a second. Later lines are lost.
    @Override
    public void close() {
        stop();
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            thread.join(CLOSING);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
