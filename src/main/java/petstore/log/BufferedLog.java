package petstore.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import petstore.http.telemetry.RequestLog;

/// An appender for events and requests that writes from a thread of its own, many lines at a time. Threads that log never wait
/// for a system call. If lines come faster than they are written, or the disk is full, those without room are dropped and counted. If
/// another program writes to the file meanwhile, it may split a line.
public final class BufferedLog extends UnsynchronizedAppenderBase<ILoggingEvent> implements RequestLog, AutoCloseable {

    private static final int CAPACITY = 1 << 20;
    private static final String SLOW = "the log is read too slowly";
    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final Duration CLOSING = Duration.ofSeconds(1);

    private final LogLayout layout;
    private final boolean access;
    private final FileChannel out;
    private final Thread thread = Thread.ofPlatform().name("log-writer").daemon().unstarted(this::run);
    /// The two buffers swap roles.
    private ByteBuffer gathered = ByteBuffer.allocateDirect(CAPACITY);
    private ByteBuffer writing = ByteBuffer.allocateDirect(CAPACITY).limit(0);
    private long dropped;
    /// The reason why lines are dropped while [#writing] is written.
    private String problem = SLOW;
    private boolean closed;

    BufferedLog(LogLayout layout, boolean access, FileChannel out) {
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
            if (bytes.length > gathered.remaining()) {
                dropped++;
                return;
            }
            if (gathered.position() == 0) {
                notifyAll();
            }
            gathered.put(bytes);
        }
    }

    private void run() {
        try {
            for (long missing = swap(); writing.hasRemaining(); missing = swap()) {
                String reason = problem;
                problem = SLOW;
                write(writing);
                if (missing > 0) {
                    write(StandardCharsets.UTF_8.encode(layout.doLayout(warning(missing, reason))));
                }
                Thread.sleep(PAUSE);
            }
        } catch (InterruptedException e) {
            // No code interrupts this thread.
        }
    }

    private static LoggingEvent warning(long missing, String reason) {
        LoggingEvent event = new LoggingEvent();
        event.setTimeStamp(System.currentTimeMillis());
        event.setLevel(Level.WARN);
        event.setLoggerName(BufferedLog.class.getName());
        event.setMessage(missing + " lines are missing here, because " + reason);
        return event;
    }

    /// Writes lines. Waits while the log takes none.
    private void write(ByteBuffer lines) throws InterruptedException {
        while (lines.hasRemaining()) {
            try {
                if (out.write(lines) > 0) {
                    continue;
                }
            } catch (IOException e) {
                problem = "the log cannot be written: " + e.getMessage();
            }
            Thread.sleep(PAUSE);
        }
    }

    /// Waits for lines, and moves them to [#writing], which stays empty after the end. Returns the number of lines that were dropped
    /// after them.
    private synchronized long swap() throws InterruptedException {
        while (gathered.position() == 0 && !closed) {
            wait();
        }
        ByteBuffer full = gathered.flip();
        gathered = writing.clear();
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
