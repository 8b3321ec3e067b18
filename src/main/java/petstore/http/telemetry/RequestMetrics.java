package petstore.http.telemetry;

import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import petstore.Failure.Kind;
import petstore.Failure.Unavailability;
import petstore.http.telemetry.RequestLog.FinishedRequest;

/// Metrics of requests. Source: OpenTelemetry's HTTP conventions. No label has values that clients choose.
public final class RequestMetrics {

    private static final Duration[] BUCKETS = LongStream
            .of(5, 10, 25, 50, 75, 100, 250, 500, 750, 1_000, 2_500, 5_000, 7_500, 10_000)
            .mapToObj(Duration::ofMillis).toArray(Duration[]::new);
    /// The route of readiness, which monitoring requests often.
    private static final String READYZ = "/readyz";

    private record Name(String method, String route, int status) {
    }

    private final MeterRegistry registry;
    private final LongAdder inFlight = new LongAdder();
    private final Map<Name, Timer> durations = new ConcurrentHashMap<>();
    private final Map<Kind, Counter> refusals;
    private final Map<Unavailability, Counter> unavailable;
    private final Map<Unavailability, Counter> unready;
    private final Counter abandoned;
    private final KeyCounter deprecated;
    private final KeyCounter unkeyedCreates;

    public RequestMetrics(MeterRegistry registry) {
        this.registry = registry;
        Gauge.builder("http.server.active_requests", inFlight::sum).description("Requests in flight.")
                .register(registry);
        refusals = counters(Kind.class, "petstore.refused.requests", "Requests refused with an error.", "reason");
        abandoned = Counter.builder("petstore.abandoned.requests")
                .description("Requests that ended without a whole response, e.g. because the client left.")
                .register(registry);
        unavailable = counters(Unavailability.class, "petstore.unavailable", "Requests that got 503.", "code");
        unready = counters(Unavailability.class, "petstore.unready", "Requests of /readyz that got 503.", "code");
        deprecated = new KeyCounter(registry, "petstore.deprecated.requests", "Requests to deprecated operations.");
        unkeyedCreates = new KeyCounter(registry, "petstore.unkeyed.creates",
                "Animals added without an Idempotency-Key. A client that repeats such a request may add another.");
    }

    /// Returns a counter for each cause. All exist from the start, because alerts do not see the first value of a new counter.
    private <C extends Enum<C>> Map<C, Counter> counters(Class<C> causes, String name, String description, String tag) {
        Map<C, Counter> counters = new EnumMap<>(causes);
        for (C cause : EnumSet.allOf(causes)) {
            counters.put(cause, Counter.builder(name).description(description)
                    .tag(tag, cause.name().toLowerCase(Locale.ROOT)).register(registry));
        }
        return counters;
    }

    void began() {
        inFlight.increment();
    }

    /// Counts an answered request. Decreases the number in flight last, so that a reader of 0 sees all requests counted.
    void answered(FinishedRequest request) {
        Name name = new Name(request.method(), request.route(), request.status());
        Timer timer = durations.get(name);
        if (timer == null) {
            // Takes a lock, also for a name that is there.
            timer = durations.computeIfAbsent(name, this::duration);
        }
        timer.record(request.durationNanos(), TimeUnit.NANOSECONDS);
        request.refusal().ifPresent(kind -> Objects.requireNonNull(refusals.get(kind)).increment());
        request.unavailability().ifPresent(cause -> Objects.requireNonNull(
                (request.route().equals(READYZ) ? unready : unavailable).get(cause)).increment());
        if (request.deprecated()) {
            deprecated.increment(request);
        }
        if (request.unkeyedCreate()) {
            unkeyedCreates.increment(request);
        }
        inFlight.decrement();
    }

    /// As [#answered], for a request without a whole response.
    void abandoned() {
        abandoned.increment();
        inFlight.decrement();
    }

    private Timer duration(Name name) {
        return Timer.builder("http.server.request.duration")
                .description("Duration of a request, from its header block to the end of its response.")
                .tag("http.request.method", name.method()).tag("http.route", name.route())
                .tag("http.response.status_code", String.valueOf(name.status()))
                .serviceLevelObjectives(BUCKETS).register(registry);
    }
}
