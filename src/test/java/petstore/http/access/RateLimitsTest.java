package petstore.http.access;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

import io.github.bucket4j.TimeMeter;
import org.junit.jupiter.api.Test;
import petstore.ApiKey;
import petstore.KeyToken;
import petstore.RateLimit;
import petstore.Scope;
import petstore.http.message.Response;

import static org.assertj.core.api.Assertions.assertThat;

/// Buckets of three requests a minute, by a clock that only the test moves.
class RateLimitsTest {

    private long nowNs;
    private final RateLimits limits = new RateLimits(Optional.of(new RateLimit(3, Duration.ofMinutes(1))),
            new TimeMeter() {
                @Override
                public long currentTimeNanos() {
                    return nowNs;
                }

                @Override
                public boolean isWallClockBased() {
                    return false;
                }
            });
    private final ApiKey key = ApiKey.issued(KeyToken.random(), "test", EnumSet.allOf(Scope.class), Instant.EPOCH,
            Optional.empty(), Optional.empty());

    @Test
    void refillsBucketOverTime() {
        assertThat(accepted(4)).isEqualTo(3);
        nowNs += Duration.ofSeconds(20).toNanos() - 1;
        assertThat(accepted(1)).isZero();
        nowNs++;
        assertThat(accepted(2)).isEqualTo(1);
        nowNs += Duration.ofHours(2).toNanos();
        assertThat(accepted(4)).isEqualTo(3);
    }

    @Test
    void tellsRestAndTimeUntilFullBucket() {
        assertThat(rest()).isEqualTo("\"default\";r=2;t=20");
        nowNs += Duration.ofSeconds(5).toNanos();
        assertThat(rest()).isEqualTo("\"default\";r=1;t=35");
        assertThat(rest()).isEqualTo("\"default\";r=0;t=55");
        assertThat(rest()).isEqualTo("\"default\";r=0;t=55");
    }

    private String rest() {
        return limits.take(key).headers().stream().filter(header -> header.is("RateLimit"))
                .map(header -> new String(header.value(), StandardCharsets.US_ASCII)).findFirst().orElseThrow();
    }

    /// A client that waits for `Retry-After` must not be refused again.
    @Test
    void roundsRetryAfterUpToWholeSeconds() {
        assertThat(accepted(3)).isEqualTo(3);
        nowNs += Duration.ofMillis(500).toNanos();
        List<String> headers = limits.take(key).refusal().map(Response::headers).orElseThrow().stream()
                .filter(header -> header.is("Retry-After"))
                .map(header -> new String(header.value(), StandardCharsets.US_ASCII)).toList();
        assertThat(headers).containsExactly("20");
        nowNs += Duration.ofSeconds(20).toNanos();
        assertThat(accepted(1)).isEqualTo(1);
    }

    private long accepted(int requests) {
        long accepted = 0;
        for (int i = 0; i < requests; i++) {
            accepted += limits.take(key).refusal().isEmpty() ? 1 : 0;
        }
        return accepted;
    }
}
