package petstore.http.server;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.micrometer.core.instrument.Counter;

/// ConnectionLimit for connections, which the event loops of a listener share.
///
/// @param most the most connections, of all of them together
/// @param open how many there are
/// @param refused counts those that were too many, or for which there was no memory
/// @param memoryIsShort whether no more may be kept in memory
record ConnectionLimit(int most, AtomicInteger open, Counter refused, BooleanSupplier memoryIsShort) {

    /// Takes a place, which has to be left in any case; gives back whether there was one.
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
