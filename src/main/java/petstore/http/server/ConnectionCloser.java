package petstore.http.server;

import java.time.Duration;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;

/// The ways to close a connection. Each takes a bounded time, whatever the client does. Confined to the connection's event loop.
final class ConnectionCloser {

    private static final long LONGEST_CLOSE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_DRAIN_NANOS = Duration.ofSeconds(2).toNanos();

    private final Channel channel;
    private boolean isClosing;
    private boolean isDraining;
    private boolean isInputEnded;
    /// The time by [System#nanoTime] when the connection is closed at last.
    private long deadlineNanos;

    ConnectionCloser(Channel channel) {
        this.channel = channel;
    }

    /// Returns true if no more input is handled.
    boolean isClosing() {
        return isClosing;
    }

    /// Closes after the bytes that the system takes at once, with TLS within a second. With HTTP/2, sends GOAWAY with the last stream.
    void close() {
        begin(LONGEST_CLOSE_NANOS);
        var _ = channel.close();
    }

    /// Closes once the client ends its output, which it does after it has read the last response. Until then, drops its input: a TCP
    /// reset would destroy the response.
    void drain() {
        if (isInputEnded) {
            close();
            return;
        }
        begin(LONGEST_DRAIN_NANOS);
        isDraining = true;
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls == null) {
            endOutput();
        } else {
            var _ = tls.closeOutbound().addListener(_ -> endOutput());
        }
        // Only reading shows the end of the input.
        channel.config().setAutoRead(true);
    }

    private void endOutput() {
        if (channel instanceof DuplexChannel duplex && channel.isActive()) {
            var _ = duplex.shutdownOutput();
        }
    }

    boolean isInputEnded() {
        return isInputEnded;
    }

    void inputEnded() {
        isInputEnded = true;
        if (isDraining) {
            closeNow();
        }
    }

    /// Resets a stream of the connection. If it carries no streams, closes the connection at once.
    ///
    /// @param streamOrConnection the channel of an exchange
    void closeNow(Channel streamOrConnection) {
        if (streamOrConnection.equals(channel)) {
            closeNow();
        } else {
            var _ = streamOrConnection.close();
        }
    }

    /// Closes at once. Bytes that wait in the process are not sent.
    void closeNow() {
        if (channel.isOpen()) {
            begin(0);
            var _ = channel.pipeline().firstContext().close();
        }
    }

    /// Closes at once with a TCP reset, which drops the bytes that wait in the operating system too.
    void abort() {
        if (channel.isOpen()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            closeNow();
        }
    }

    /// Closes at once if the time to close is over.
    void sweep(long now) {
        if (isClosing && now - deadlineNanos > 0) {
            closeNow();
        }
    }

    private void begin(long nanos) {
        isClosing = true;
        deadlineNanos = System.nanoTime() + nanos;
    }
}
