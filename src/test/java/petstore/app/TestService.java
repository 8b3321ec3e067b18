package petstore.app;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;

import petstore.http.HttpSettings;
import petstore.sql.Migrate;
import petstore.sql.TestStore;

/// The service as `petstore serve` puts it together, in this process, on free ports.
///
/// ```java
/// try (TestService service = TestService.start(folder)) {
///     service.client().get("/v1/pets");
/// }
/// ```
final class TestService implements AutoCloseable {

    /// The API key that the service is started with.
    static final String KEY = "test-key-of-more-than-sixteen-characters";

    private final Service service;

    private TestService(Service service) {
        this.service = service;
    }

    /// Starts the service as it is by default.
    static TestService start(Path folder) {
        return start(folder, Clock.systemUTC(), UnaryOperator.identity());
    }

    /// Starts the service with settings that differ from the default.
    static TestService start(Path folder, Clock clock, UnaryOperator<HttpSettings> change) {
        HttpSettings.Deadlines deadlines = new HttpSettings.Deadlines(Duration.ofSeconds(30), Duration.ofSeconds(10),
                Duration.ofSeconds(20));
        HttpSettings http = new HttpSettings("127.0.0.1", 0, "127.0.0.1", 0, Optional.empty(), Optional.empty(),
                deadlines,
                10_000, Duration.ofHours(24), Duration.ZERO, Optional.empty());
        return new TestService(
                Service.start(new Settings(new StoreChoice(folder, TestStore.database(folder), Migrate.AUTO), 8,
                        change.apply(http), Optional.of(KEY)), Optional.empty(), clock));
    }

    /// Starts the service with other limits for its clients than the default ones.
    static TestService start(Path folder, HttpSettings.Deadlines deadlines, int maxConnections) {
        return start(folder, Clock.systemUTC(), http -> new HttpSettings(http.host(), http.port(), http.adminHost(),
                http.adminPort(), http.baseUrl(), http.stagingBaseUrl(), deadlines, maxConnections,
                http.idempotencyRetention(), http.shutdownDelay(), http.rateLimit()));
    }

    /// A client of the API with [#KEY].
    ApiClient client() {
        return new ApiClient(service.port(), KEY);
    }

    int port() {
        return service.port();
    }

    int adminPort() {
        return service.adminPort();
    }

    @Override
    public void close() {
        service.close();
    }
}
