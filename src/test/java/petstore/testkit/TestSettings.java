package petstore.testkit;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import petstore.RateLimit;
import petstore.http.ApiSettings;
import petstore.http.BaseUrl;
import petstore.http.message.TrustedProxies;
import petstore.http.server.ServerSettings;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.server.tls.TlsFiles;
import petstore.store.block.BlockCache;

/// A builder of settings: free ports and default values, except for the settings that a test changes.
public final class TestSettings {

    private int idsOfBlock = BlockCache.IDS;
    private Optional<BaseUrl> baseUrl = Optional.empty();
    private Duration shutdownDelay = Duration.ZERO;
    private Deadlines deadlines = new Deadlines(Duration.ofSeconds(30),
            Duration.ofSeconds(10), Duration.ofSeconds(20));
    private int maxConnections = 10_000;
    private Optional<RateLimit> rateLimit = Optional.empty();
    private Optional<TlsFiles> tls = Optional.empty();
    private boolean page = true;
    private List<String> corsOrigins = List.of();

    public TestSettings idsOfBlock(int count) {
        idsOfBlock = count;
        return this;
    }

    public TestSettings baseUrl(BaseUrl url) {
        baseUrl = Optional.of(url);
        return this;
    }

    public TestSettings shutdownDelay(Duration delay) {
        shutdownDelay = delay;
        return this;
    }

    public TestSettings deadlines(Deadlines other) {
        deadlines = other;
        return this;
    }

    public TestSettings maxConnections(int limit) {
        maxConnections = limit;
        return this;
    }

    public TestSettings rateLimit(RateLimit limit) {
        rateLimit = Optional.of(limit);
        return this;
    }

    public TestSettings tls(TlsFiles files) {
        tls = Optional.of(files);
        return this;
    }

    public TestSettings withoutPage() {
        page = false;
        return this;
    }

    public TestSettings corsOrigins(String... origins) {
        corsOrigins = List.of(origins);
        return this;
    }

    public int idsOfBlock() {
        return idsOfBlock;
    }

    public ApiSettings api() {
        return new ApiSettings(baseUrl, Optional.empty(), Duration.ofHours(24), rateLimit, page, tls.isPresent(),
                corsOrigins);
    }

    public ServerSettings server() {
        return new ServerSettings("127.0.0.1", 0, "127.0.0.1", 0, deadlines, maxConnections, shutdownDelay,
                new TrustedProxies(List.of(), TrustedProxies.USUAL_FIELD), tls);
    }
}
