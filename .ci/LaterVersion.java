import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Set;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/// Relays requests to the service at PETSTORE_URL. Each JSON object of a response gets one more member, as in a later version of the
/// service. Prints its own URL.
final class LaterVersion {

    /// Fields of one connection, or of a body whose length changes.
    private static final Set<String> LEFT_OUT = Set.of("connection", "content-length", "host", "http2-settings", "upgrade");
    private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    public static void main(String[] args) throws IOException {
        URI service = URI.create(System.getenv("PETSTORE_URL"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                relay(exchange, service);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        });
        server.start();
        System.out.println("http://127.0.0.1:" + server.getAddress().getPort() + service.getPath());
    }

    private static void relay(HttpExchange exchange, URI service) throws IOException, InterruptedException {
        byte[] requestBody = exchange.getRequestBody().readAllBytes();
        HttpRequest.Builder request = HttpRequest.newBuilder(service.resolve(exchange.getRequestURI()))
                .method(exchange.getRequestMethod(), BodyPublishers.ofByteArray(requestBody));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!LEFT_OUT.contains(name.toLowerCase())) {
                values.forEach(value -> request.header(name, value));
            }
        });
        HttpResponse<String> response = CLIENT.send(request.build(), BodyHandlers.ofString());
        response.headers().map().forEach((name, values) -> {
            if (!LEFT_OUT.contains(name)) {
                exchange.getResponseHeaders().put(name, values);
            }
        });
        byte[] body = response.body().replace("{\"", "{\"tags\":[\"calm\"],\"").getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(response.statusCode(), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }
}
