package petstore.http;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import io.github.bucket4j.TimeMeter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.RateLimit;
import petstore.http.access.Bearer;
import petstore.http.access.BrowserPolicy;
import petstore.http.access.RateLimits;
import petstore.http.message.Api;
import petstore.http.message.HeaderFields;
import petstore.http.message.KeyScanner;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;
import petstore.http.telemetry.Telemetry;
import petstore.store.SqlStore;
import petstore.testkit.TestService;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;

class DispatcherTest {

    /// A check of the rate limit that fails by a defect.
    private static final TimeMeter BROKEN = new TimeMeter() {
        @Override
        public long currentTimeNanos() {
            throw new StackOverflowError();
        }

        @Override
        public boolean isWallClockBased() {
            return false;
        }
    };

    @Test
    void returns500AfterDefectBeforeOperation(@TempDir Path folder) {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        try (SqlStore store = TestStore.open(folder)) {
            Dispatcher dispatcher = new Dispatcher(new Routes(List.of(), ""),
                    new Bearer(store.keys(), Optional.of("secret"), meters),
                    new RateLimits(Optional.of(RateLimit.LEAST), BROKEN),
                    new Telemetry(meters, Optional.empty(), TestService.SILENT, new KeyScanner(Optional.empty())),
                    new BrowserPolicy(List.of(), false), new UnavailabilityLog());
            Api.Decision decision = dispatcher
                    .decide(new RequestHead("GET", "/v1/pets", null,
                            new HeaderFields(_ -> true).add("Authorization", "Bearer secret"), "-", "of-the-test", 0));
            assertThat(decision.next()).isInstanceOfSatisfying(Api.Respond.class, respond -> {
                Response response = respond.response();
                assertThat(response.status()).isEqualTo(500);
                assertThat(new String(response.body(), StandardCharsets.UTF_8))
                        .contains("internal error; see request of-the-test in the log");
            });
        }
    }
}
