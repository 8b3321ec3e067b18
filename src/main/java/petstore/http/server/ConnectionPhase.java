package petstore.http.server;

import petstore.http.server.ServerSettings.Deadlines;

/// The phase of a connection and its deadline, which counts from the beginning of the phase; the stock timeouts start again with each
/// byte.
final class ConnectionPhase {

    enum Kind {
        /// With TLS, its handshake is not complete. The deadline is that of a head.
        HANDSHAKE,
        /// No part of a request has arrived yet. The deadline is that of a head.
        CONNECTED,
        /// A part of a head has arrived.
        HEAD,
        /// Each exchange has its own deadline.
        EXCHANGES,
        /// The last response is sent.
        IDLE
    }

    /// Several times the length of a ClientHello.
    private static final int MOST_HANDSHAKE_BYTES = 64 * 1024;

    private final Deadlines deadlines;
    private Kind kind = Kind.HANDSHAKE;
    /// The beginning of the deadline, by [System#nanoTime].
    private long sinceNanos = System.nanoTime();
    private int handshakeBytes;

    ConnectionPhase(Deadlines deadlines) {
        this.deadlines = deadlines;
    }

    boolean is(Kind other) {
        return kind == other;
    }

    /// Returns true while no part of a request has arrived since the last response.
    boolean hasNoRequest() {
        return kind == Kind.CONNECTED || kind == Kind.IDLE;
    }

    /// Begins a phase and its deadline.
    void begin(Kind next) {
        kind = next;
        sinceNanos = System.nanoTime();
    }

    /// Changes the phase, and keeps the deadline of the previous one.
    void become(Kind next) {
        kind = next;
    }

    /// Returns true if the deadline of this phase is over.
    ///
    /// @param now by [System#nanoTime]
    boolean isOver(long now) {
        return switch (kind) {
            case HANDSHAKE, CONNECTED, HEAD -> now - sinceNanos > deadlines.header().toNanos();
            case IDLE -> now - sinceNanos > deadlines.idle().toNanos();
            case EXCHANGES -> false;
        };
    }

    /// Counts bytes of a handshake. Returns true if there are too many: they wait for a thread off-heap.
    boolean isFlooded(int bytes) {
        handshakeBytes += kind == Kind.HANDSHAKE ? bytes : 0;
        return handshakeBytes > MOST_HANDSHAKE_BYTES;
    }
}
