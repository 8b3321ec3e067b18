package petstore.http.server;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.micrometer.core.instrument.Counter;

/// The limit of a listener's connections, shared by its event loops.
///
/// @param most the most open connections
/// @param open the number of open connections
/// @param refused counts connections that were closed because of the limit or a lack of memory
/// @param memoryIsShort true if nothing more may be kept in memory
record ConnectionLimit(int most, AtomicInteger open, Counter refused, BooleanSupplier memoryIsShort) {

    /// Counts a connection. Returns false if the limit is reached. Call [#leave] in either case.
    boolean enter() {
        if (open.incrementAndGet() > most || isShort()) {
            refused.increment();
            return false;
        }
        return true;
    }

    void leave() {
        open.decrementAndGet();
    }

    boolean isShort() {
        return memoryIsShort.getAsBoolean();
    }
}
