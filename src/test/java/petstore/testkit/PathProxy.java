package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.jspecify.annotations.Nullable;

/// A reverse proxy that serves a local service below a path and removes that path from requests.
public final class PathProxy implements AutoCloseable {

    private static final Set<String> NOT_FORWARDED = Set.of("connection", "host", "content-length", "upgrade",
            "http2-settings", "transfer-encoding");

    private final HttpServer server;
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String path;
    private final int target;
    private final AtomicInteger intercepted = new AtomicInteger();
    private volatile @Nullable Interception interception;

    private record Interception(int status, String body, List<String> headers) {
    }

    /// @param path with slashes at both ends, e.g. `/animals/`
    /// @param target the port of the service
    public PathProxy(String path, int target) {
        this.path = path;
        this.target = target;
        try {
            this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext(path, this::forward);
        server.start();
    }

    /// Returns the URL of the root of the service behind the proxy.
    public String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    /// Replaces the responses of the API to requests without a cookie, as a sign-in proxy or firewall does.
    ///
    /// @param headers names and values
    public void intercept(int status, String body, String... headers) {
        interception = new Interception(status, body, List.of(headers));
    }

    /// Returns the number of responses that were replaced.
    public int responses() {
        return intercepted.get();
    }

    /// Ends [#intercept]. Returns the number of responses that were replaced.
    public int endInterception() {
        interception = null;
        return intercepted.getAndSet(0);
    }

    private static void respond(HttpExchange exchange, Interception interception) throws IOException {
        for (int i = 0; i < interception.headers().size(); i += 2) {
            exchange.getResponseHeaders().add(interception.headers().get(i), interception.headers().get(i + 1));
        }
        byte[] body = interception.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(interception.status(), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private void forward(HttpExchange exchange) throws IOException {
        String rest = exchange.getRequestURI().toString().substring(path.length());
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + target + "/" + rest))
                .method(exchange.getRequestMethod(),
                        HttpRequest.BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
        exchange.getRequestHeaders().forEach((name, values) -> values.stream()
                .filter(value -> !NOT_FORWARDED.contains(name.toLowerCase(Locale.ROOT)))
                .forEach(value -> request.header(name, value)));
        try {
            HttpResponse<byte[]> response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            Interception replacement = interception;
            if (replacement != null && rest.startsWith("v1/") && !exchange.getRequestHeaders().containsKey("Cookie")) {
                intercepted.incrementAndGet();
                respond(exchange, replacement);
                return;
            }
            response.headers().map().forEach((name, values) -> values.stream()
                    .filter(value -> !NOT_FORWARDED.contains(name.toLowerCase(Locale.ROOT)))
                    .forEach(value -> exchange.getResponseHeaders().add(name, value)));
            exchange.sendResponseHeaders(response.statusCode(),
                    response.body().length == 0 ? -1 : response.body().length);
            exchange.getResponseBody().write(response.body());
            exchange.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        client.close();
    }
}
