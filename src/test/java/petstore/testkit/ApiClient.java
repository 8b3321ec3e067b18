package petstore.testkit;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import static org.awaitility.Awaitility.await;

/// A client of the API that verifies every response against the contract.
public final class ApiClient {

    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10)).build();
    private static final int MAX_RETRIES = 30;

    private final int port;
    private final String authorization;
    private final int retries;

    /// @param key the API key, sent with every request; an empty key is not sent
    public ApiClient(int port, String key) {
        this(port, key.isEmpty() ? "" : "Bearer " + key, 0);
    }

    private ApiClient(int port, String authorization, int retries) {
        this.port = port;
        this.authorization = authorization;
        this.retries = retries;
    }

    /// Returns a client with the same key that repeats a request after `Retry-After` if the response is 503. For tests that are not
    /// about overload. An animal is safe to repeat only with an `Idempotency-Key`.
    public ApiClient withRetries() {
        return new ApiClient(port, authorization, MAX_RETRIES);
    }

    /// Returns a client with another key; an empty key is not sent.
    public ApiClient withKey(String key) {
        return new ApiClient(port, key.isEmpty() ? "" : "Bearer " + key, retries);
    }

    /// Lists animals until a response is not 200, and returns that response. Fails if there is none within `limit`.
    public HttpResponse<String> awaitRefusal(Duration limit) {
        return await().atMost(limit).until(() -> get("/v1/pets"), response -> response.statusCode() != 200);
    }

    public HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, new byte[0], headers);
    }

    /// Adds an animal, given as JSON.
    public HttpResponse<String> post(String json, String... headers) {
        String[] all = Arrays.copyOf(headers, headers.length + 2);
        all[headers.length] = "Content-Type";
        all[headers.length + 1] = "application/json";
        return send("POST", "/v1/pets", json.getBytes(StandardCharsets.UTF_8), all);
    }

    /// Sends a request and checks that the contract documents the response.
    ///
    /// @param headers names and values in turn
    public HttpResponse<String> send(String method, String path, byte[] body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(30))
                .method(method, body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        if (!authorization.isEmpty()) {
            request.header("Authorization", authorization);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            HttpResponse<String> response = sendOnce(request.build(), path);
            for (int left = retries; left > 0 && response.statusCode() == 503; left--) {
                TimeUnit.SECONDS.sleep(response.headers().firstValueAsLong("Retry-After").orElseThrow());
                response = sendOnce(request.build(), path);
            }
            return response;
        } catch (IOException e) {
            throw new AssertionError(method + " " + path + " got no response", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static HttpResponse<String> sendOnce(HttpRequest request, String path)
            throws IOException, InterruptedException {
        HttpResponse<String> response = HTTP.send(request, BodyHandlers.ofString());
        ServedContract.verify(request.method(), path, response.statusCode(), response.headers().map(), response.body());
        return response;
    }
}
