package petstore.http.access;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.TimeMeter;
import petstore.ApiKey;
import petstore.Failure.Kind;
import petstore.RateLimit;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.Response;

/// A bucket of tokens for each API key, of which each request takes one. The buckets are this process's own.
///
/// Source: the IETF draft on RateLimit fields.
public final class RateLimits {

    private static final long MOST_KEYS = 100_000;
    private static final String POLICY = "RateLimit-Policy";
    private static final String STATE = "RateLimit";
    private static final String RETRY_AFTER = "Retry-After";

    /// Whose bucket it is: a key whose limit changes gets another one.
    private record Owner(String keyId, RateLimit limit) {
    }

    /// What a request is told of its share.
    ///
    /// @param headers for its answer, whatever that will be
    /// @param refusal the answer when it asks for more than its share
    public record Share(List<Header> headers, Optional<Response> refusal) {
        public static final Share UNLIMITED = new Share(List.of(), Optional.empty());

        /// These headers and those of the route.
        public List<Header> headersWith(List<Header> route) {
            if (headers.isEmpty()) {
                return route;
            }
            List<Header> all = new ArrayList<>(headers);
            all.addAll(route);
            return all;
        }
    }

    private final Optional<RateLimit> standard;
    private final LoadingCache<Owner, Bucket> buckets;

    /// @param standard the limit of keys that have none of their own
    public RateLimits(Optional<RateLimit> standard, Clock clock) {
        this.standard = standard;
        TimeMeter time = new ClockMeter(clock);
        this.buckets = Caffeine.newBuilder().maximumSize(MOST_KEYS).build(owner -> bucket(owner.limit(), time));
    }

    private static Bucket bucket(RateLimit limit, TimeMeter time) {
        return Bucket.builder().withCustomTimePrecision(time)
                .addLimit(bandwidth -> bandwidth.capacity(limit.requests()).refillGreedy(limit.requests(),
                        limit.window()))
                .build();
    }

    /// Takes one token for a request of `key`.
    public Share take(ApiKey key) {
        Optional<RateLimit> limit = key.rateLimit().or(() -> standard);
        if (limit.isEmpty()) {
            return Share.UNLIMITED;
        }
        ConsumptionProbe probe = buckets.get(new Owner(key.id(), limit.get())).tryConsumeAndReturnRemaining(1);
        List<Header> headers = List.of(
                Header.of(POLICY, "\"default\";q=" + limit.get().requests() + ";w=" + limit.get().window().toSeconds()),
                Header.of(STATE, "\"default\";r=" + probe.getRemainingTokens() + ";t="
                        + seconds(probe.getNanosToWaitForReset())));
        return new Share(headers, probe.isConsumed() ? Optional.empty() : Optional.of(refusal(probe)));
    }

    private static Response refusal(ConsumptionProbe probe) {
        return Errors.response(Kind.RATE_LIMITED, "this API key asks for more than its share; try again later",
                Header.of(RETRY_AFTER, String.valueOf(Math.max(1, seconds(probe.getNanosToWaitForRefill())))));
    }

    private static long seconds(long nanos) {
        return Math.ceilDiv(nanos, TimeUnit.SECONDS.toNanos(1));
    }

    /// The service's clock as the buckets read it: a bucket would not fill again for as long as a clock was set back.
    private static final class ClockMeter implements TimeMeter {
        private final Clock clock;
        private final AtomicReference<Reading> latest = new AtomicReference<>(new Reading(0, 0));

        /// @param millis what the clock said
        /// @param setBack how far it was set back until then, in milliseconds
        private record Reading(long millis, long setBack) {
            Reading next(long now) {
                return now == millis ? this : new Reading(now, setBack + Math.max(0, millis - now));
            }
        }

        ClockMeter(Clock clock) {
            this.clock = clock;
        }

        @Override
        public long currentTimeNanos() {
            Reading reading = latest.updateAndGet(before -> before.next(clock.millis()));
            return TimeUnit.MILLISECONDS.toNanos(reading.millis() + reading.setBack());
        }

        @Override
        public boolean isWallClockBased() {
            return true;
        }
    }
}
