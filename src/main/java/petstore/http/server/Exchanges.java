package petstore.http.server;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import petstore.Failure;
import petstore.http.message.Errors;
import petstore.http.message.Response;

/// The exchanges of a connection that have not ended, the oldest first. With HTTP/1.1, one at most. Confined to its event loop.
final class Exchanges {

    private static final Response NO_MEMORY = Errors
            .response(new Failure(Failure.Unavailability.MEMORY, "the service is overloaded; try again later"));
    private static final String SHORT_MEMORY = "memory is short";
    /// The time to read a response while memory is short.
    private static final Duration READ_TIME_WHEN_SHORT = Duration.ofMillis(250);

    private final Deque<Exchange> open = new ArrayDeque<>(2);

    int number() {
        return open.size();
    }

    void add(Exchange exchange) {
        open.add(exchange);
    }

    /// Returns true if this was the last one.
    boolean remove(Exchange exchange) {
        return open.remove(exchange) && open.isEmpty();
    }

    /// Returns true if a response is due.
    boolean areAnswering() {
        return open.stream().anyMatch(exchange -> exchange.isWorking() || exchange.isSending());
    }

    /// Returns true if the client has not read a response for so long that its memory is needed.
    boolean areUnread(long now) {
        return open.stream().anyMatch(exchange -> exchange.isSending()
                && now - exchange.sentNanos() > READ_TIME_WHEN_SHORT.toNanos());
    }

    /// Refuses incomplete requests. Returns false if there is no exchange.
    boolean refuseIncomplete() {
        List<Exchange> all = List.copyOf(open);
        all.stream().filter(exchange -> !exchange.isWorking()).forEach(exchange -> exchange.send(NO_MEMORY));
        return !all.isEmpty();
    }

    /// Sets the reason for the case that the connection is closed to free memory.
    void endBecauseOfMemory() {
        open.forEach(exchange -> exchange.endsBecause(SHORT_MEMORY));
    }

    /// Ends those whose header block has been complete for longer than `age`: with a 503 if the API is late.
    ///
    /// @param now by [System#nanoTime]
    void expire(Duration age, long now) {
        List.copyOf(open).forEach(exchange -> exchange.expire(age, now));
    }

    void closed() {
        List.copyOf(open).forEach(Exchange::closed);
    }
}
