package petstore.http.access;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

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

/// A bucket of tokens for each API key, in this process. A request takes a token. Source: the IETF draft on RateLimit fields.
public final class RateLimits {

    private static final long MOST_KEYS = 100_000;

    /// The owner of a bucket. A key with a new limit gets a new bucket.
    private record Owner(String keyId, RateLimit limit) {
    }

    /// The rest of a limit, for a request.
    ///
    /// @param headers the headers of every response
    /// @param refusal the response if the limit is exceeded
    public record Quota(List<Header> headers, Optional<Response> refusal) {
        public static final Quota UNLIMITED = new Quota(List.of(), Optional.empty());
    }

    private final Optional<RateLimit> standard;
    private final LoadingCache<Owner, Bucket> buckets;

    /// @param time a clock that no one sets
    public RateLimits(Optional<RateLimit> standard, TimeMeter time) {
        this.standard = standard;
        this.buckets = Caffeine.newBuilder().maximumSize(MOST_KEYS).build(owner -> Bucket.builder()
                .withCustomTimePrecision(time).addLimit(bandwidth -> bandwidth.capacity(owner.limit().requests())
                        .refillGreedy(owner.limit().requests(), owner.limit().window()))
                .build());
    }

    public Quota take(ApiKey key) {
        Optional<RateLimit> limit = key.rateLimit().or(() -> standard);
        if (limit.isEmpty()) {
            return Quota.UNLIMITED;
        }
        ConsumptionProbe probe = buckets.get(new Owner(key.id(), limit.get())).tryConsumeAndReturnRemaining(1);
        List<Header> headers = List.of(
                Header.of("RateLimit-Policy",
                        "\"default\";q=" + limit.get().requests() + ";w=" + limit.get().window().toSeconds()),
                Header.of("RateLimit", "\"default\";r=" + probe.getRemainingTokens() + ";t="
                        + seconds(probe.getNanosToWaitForReset())));
        return new Quota(headers, probe.isConsumed() ? Optional.empty() : Optional.of(refusal(probe)));
    }

    private static Response refusal(ConsumptionProbe probe) {
        return Errors.response(Kind.RATE_LIMITED, "rate limit exceeded; try again later",
                Header.of("Retry-After", String.valueOf(Math.max(1, seconds(probe.getNanosToWaitForRefill())))));
    }

    private static long seconds(long nanos) {
        return Math.ceilDiv(nanos, TimeUnit.SECONDS.toNanos(1));
    }
}
