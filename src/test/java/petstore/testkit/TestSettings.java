package petstore.testkit;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import petstore.RateLimit;
import petstore.http.BaseUrl;
import petstore.http.HttpSettings;

/// [HttpSettings] as they are by default, on free ports, but for what a test changes.
public final class TestSettings {

    private Optional<BaseUrl> baseUrl = Optional.empty();
    private HttpSettings.Deadlines deadlines = new HttpSettings.Deadlines(Duration.ofSeconds(30),
            Duration.ofSeconds(10), Duration.ofSeconds(20));
    private int maxConnections = 10_000;
    private Optional<RateLimit> rateLimit = Optional.empty();
    private Optional<HttpSettings.TlsFiles> tls = Optional.empty();
    private List<String> corsOrigins = List.of();

    public TestSettings baseUrl(BaseUrl url) {
        baseUrl = Optional.of(url);
        return this;
    }

    public TestSettings deadlines(HttpSettings.Deadlines other) {
        deadlines = other;
        return this;
    }

    public TestSettings maxConnections(int most) {
        maxConnections = most;
        return this;
    }

    public TestSettings rateLimit(RateLimit limit) {
        rateLimit = Optional.of(limit);
        return this;
    }

    public TestSettings tls(HttpSettings.TlsFiles files) {
        tls = Optional.of(files);
        return this;
    }

    public TestSettings corsOrigins(String... origins) {
        corsOrigins = List.of(origins);
        return this;
    }

    public HttpSettings build() {
        return new HttpSettings("127.0.0.1", 0, "127.0.0.1", 0, baseUrl, Optional.empty(), deadlines, maxConnections,
                Duration.ofHours(24), Duration.ZERO, rateLimit, tls, corsOrigins);
    }
}
