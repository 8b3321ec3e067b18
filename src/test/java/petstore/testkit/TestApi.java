package petstore.testkit;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import petstore.app.ServiceApi;
import petstore.http.message.Api;
import petstore.http.message.Header;
import petstore.http.message.HeaderFields;
import petstore.http.message.KeyScanner;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;
import petstore.http.telemetry.Telemetry;
import petstore.store.SqlStore;

/// The API on a real store, wired as in the service, but without a socket.
///
/// ```java
/// try (TestApi api = TestApi.start(folder, Clock.systemUTC(), UnaryOperator.identity())) {
///     api.get("/v1/pets").status();
/// }
/// ```
public final class TestApi implements AutoCloseable {

    /// The accepted API key.
    public static final String KEY = TestService.KEY;

    /// A response, with the headers that the server adds.
    public record Reply(int status, List<Header> headers, String body) {

        /// Returns the values of all headers of this name, separated by commas; absent if there is no header of this name.
        public Optional<String> header(String name) {
            return headers.stream().filter(header -> header.is(name))
                    .map(header -> new String(header.value(), StandardCharsets.US_ASCII))
                    .reduce((first, second) -> first + ", " + second);
        }
    }

    private final SqlStore store;
    private final ServiceApi wired;

    private TestApi(SqlStore store, ServiceApi wired) {
        this.store = store;
        this.wired = wired;
    }

    /// Opens the store and wires the API to it.
    public static TestApi start(Path folder, Clock clock, UnaryOperator<TestSettings> change) {
        SqlStore store = TestStore.open(folder);
        PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        return new TestApi(store,
                new ServiceApi(change.apply(new TestSettings()).api(), store, Optional.of(KEY), "1.2.3",
                        new Telemetry(metrics, Optional.empty(), TestService.SILENT, new KeyScanner(Optional.of(KEY))),
                        metrics,
                        clock));
    }

    /// Closes the store while the API is in use.
    public void closeStore() {
        store.close();
    }

    /// Sends a GET with [#KEY] and further headers. Returns the response.
    public Reply get(String target, String... headers) {
        return send("GET", target, withKey().addAll(headers), "");
    }

    /// Sends a POST of JSON with [#KEY] and further headers. Returns the response.
    public Reply post(String target, String body, String... headers) {
        return send("POST", target, withKey().add("Content-Type", "application/json").addAll(headers), body);
    }

    /// Returns request headers with [#KEY].
    public static TestHeaders withKey() {
        return new TestHeaders().add("Authorization", "Bearer " + KEY);
    }

    /// Sends any request. Returns the response.
    public Reply send(String method, String target, HeaderFields headers, String body) {
        String[] parts = target.split("\\?", 2);
        Api.Decision first = wired.api()
                .decide(new RequestHead(method, parts[0], parts.length == 1 ? null : parts[1], headers,
                        "192.0.2.7", "of-the-test", 0));
        Api.Decision decision = first.next() instanceof Api.AwaitKey(var later) ? later.join() : first;
        Response response = switch (decision.next()) {
            case Api.Respond(Response immediate) -> immediate;
            case Api.RespondLast(Response immediate) -> immediate;
            case Api.AwaitKey again -> throw new AssertionError(again);
            case Api.Await(CompletableFuture<Response> future) -> future.join();
            case Api.ReadBody read -> read.operation().apply(body.getBytes(StandardCharsets.UTF_8)).join();
        };
        List<Header> all = Header.joined(response.headers(), decision.headers());
        return new Reply(response.status(), all, new String(response.body(), StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        wired.close();
        store.close();
    }
}
