package petstore.http.telemetry;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import petstore.http.message.Api;
import petstore.http.telemetry.RequestLog.FinishedRequest;

/// A counter of requests by route and API key. Keys beyond the first [#MOST_KEYS] share the label `other`.
final class KeyCounter {

    private static final int MOST_KEYS = 100;

    private record Use(String route, String key) {
    }

    private final MeterRegistry registry;
    private final String name;
    private final String description;
    private final Map<Use, Counter> counters = new ConcurrentHashMap<>();

    KeyCounter(MeterRegistry registry, String name, String description) {
        this.registry = registry;
        this.name = name;
        this.description = description;
    }

    /// Counts a request. Ignores one without an accepted key.
    void increment(FinishedRequest request) {
        if (!request.key().equals(Api.NO_KEY)) {
            counter(new Use(request.route(), request.key())).increment();
        }
    }

    private Counter counter(Use use) {
        Counter known = counters.get(use);
        if (known != null) {
            return known;
        }
        Use counted = counters.size() < MOST_KEYS ? use : new Use(use.route(), "other");
        return counters.computeIfAbsent(counted, label -> Counter.builder(name).description(description)
                .tag("route", label.route()).tag("key", label.key()).register(registry));
    }
}
