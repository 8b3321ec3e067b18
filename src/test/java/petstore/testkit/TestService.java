package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import petstore.app.Service;
import petstore.app.Settings;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.telemetry.RequestLog;
import petstore.http.telemetry.RequestLog.FinishedRequest;

import static org.awaitility.Awaitility.await;

/// The service as `petstore serve` assembles it, in the process of the tests, on free ports.
///
/// ```java
/// try (TestService service = TestService.start(folder)) {
///     service.client().get("/v1/pets");
/// }
/// ```
public final class TestService implements AutoCloseable {

    /// The API key of the service.
    public static final String KEY = "test-key-of-more-than-sixteen-characters";

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /// A log that drops every record.
    public static final RequestLog SILENT = log(_ -> {
    });

    private final Service service;

    private TestService(Service service) {
        this.service = service;
    }

    /// Returns a log that passes on each request, except requests for metrics.
    public static RequestLog log(Consumer<FinishedRequest> requests) {
        return new RequestLog() {
            @Override
            public void finished(FinishedRequest request, String trace) {
                if (!request.route().equals("/metrics")) {
                    requests.accept(request);
                }
            }

            @Override
            public void refused(RefusedKey refusal) {
                // Tests read the log of a process for these.
            }
        };
    }

    /// Starts the service with the default settings.
    public static TestService start(Path folder) {
        return start(folder, Clock.systemUTC(), UnaryOperator.identity());
    }

    /// Starts the service with the default settings, except for the number of ids in a block.
    public static TestService start(Path folder, int idsOfBlock) {
        return start(folder, Clock.systemUTC(), settings -> settings.idsOfBlock(idsOfBlock));
    }

    /// Starts the service with the default settings after `change`.
    public static TestService start(Path folder, Clock clock, UnaryOperator<TestSettings> change) {
        return start(folder, clock, change, SILENT);
    }

    /// Starts the service with the default settings after `change`, and with this log of its requests.
    public static TestService start(Path folder, Clock clock, UnaryOperator<TestSettings> change, RequestLog log) {
        TestSettings settings = change.apply(new TestSettings());
        return new TestService(
                Service.start(new Settings(TestStore.choice(folder), 8,
                        Duration.ofMinutes(2), settings.idsOfBlock(), settings.api(), settings.server(),
                        Optional.of(KEY)),
                        new AtomicBoolean(), Optional.empty(), log, () -> {
                        }, clock));
    }

    /// Starts the service with other deadlines and another maximum of connections.
    public static TestService start(Path folder, Deadlines deadlines, int maxConnections) {
        return start(folder, Clock.systemUTC(), http -> http.deadlines(deadlines).maxConnections(maxConnections));
    }

    /// Returns a client of the API with [#KEY].
    public ApiClient client() {
        return new ApiClient(service.port(), KEY);
    }

    public int port() {
        return service.port();
    }

    public int adminPort() {
        return service.adminPort();
    }

    /// Waits until the service counts no request in flight. A client may see the end of a request or connection before the service
    /// counts it.
    public void awaitNoRequest() {
        await("no request in flight").pollInterval(Duration.ofMillis(10)).atMost(PATIENCE)
                .until(() -> activeRequests() == 0);
    }

    /// Returns the number of requests in flight, without the request for the metrics.
    private int activeRequests() {
        return metric("http_server_active_requests") - 1;
    }

    /// Returns the value of a metric.
    ///
    /// @param name the name and the labels, e.g. `petstore_connections{listener="api",state="idle"}`
    public int metric(String name) {
        String line = metrics().lines().filter(text -> text.startsWith(name + " ")).findFirst().orElseThrow();
        return (int) Double.parseDouble(line.substring(name.length() + 1));
    }

    /// Returns the page of all metrics.
    public String metrics() {
        try (RawClient metrics = new RawClient(adminPort())) {
            return metrics.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").response().orElseThrow().body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        service.close();
    }
}
