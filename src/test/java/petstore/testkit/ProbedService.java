package petstore.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import petstore.blackbox.BadRequest;
import petstore.testkit.RawClient.Response;

import static org.assertj.core.api.Assertions.assertThat;

/// A service with one animal, shared by the tests of a class that sends bad requests. The service must refuse them at once, keep
/// its animals unchanged, and continue to respond.
///
/// ```java
/// @RegisterExtension
/// private static final ProbedService service = new ProbedService();
/// ```
@SuppressWarnings("NullAway.Init") // JUnit calls beforeAll first.
public final class ProbedService implements BeforeAllCallback, AfterAllCallback {

    /// Time limit for a response, far below the deadlines after which the service closes a connection anyway.
    private static final int REFUSAL_LIMIT_MS = 5_000;
    private static final String LIST = BadRequest.get("/v1/pets?limit=100");

    private Path folder;
    private TestService service;
    private String catalogue;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        folder = Files.createTempDirectory("petstore-probed");
        service = TestService.start(folder);
        service.client().post("{\"name\":\"Whiskers\",\"categoryId\":7,\"status\":\"available\"}");
        catalogue = service.client().get("/v1/pets?limit=100").body();
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        service.close();
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        }
    }

    public ApiClient client() {
        return service.client();
    }

    public RawClient connect() throws IOException {
        RawClient client = new RawClient(service.port());
        client.socket().setSoTimeout(REFUSAL_LIMIT_MS);
        return client;
    }

    /// Fails unless the request is refused as the contract requires and its connection stays usable. Returns the response.
    public Response refuses(BadRequest request) throws IOException {
        try (RawClient client = connect()) {
            Response response = sendRefused(client, request);
            String[] requestLine = request.bytes().split(" ", 3);
            ServedContract.verify(requestLine[0], requestLine[1], response.status(), response.headers(),
                    response.body());
            Response list = client.send(LIST).response().orElseThrow();
            assertThat(list.status()).isEqualTo(200);
            assertThat(list.body()).isEqualTo(catalogue);
            return response;
        }
    }

    /// Fails unless the request is refused as in [#refuses]. Returns the error message.
    public String refusal(BadRequest request) throws IOException {
        return ServedContract.json(refuses(request).body()).get("message").asText();
    }

    /// Fails unless the request is refused and its connection is closed. Returns the response.
    public Response refusesAndCloses(BadRequest request) throws IOException {
        try (RawClient client = connect()) {
            Response response = sendRefused(client, request);
            assertThat(response.headers().get("connection")).isEqualTo(List.of("close"));
            assertThat(client.response()).isEmpty();
            assertUnchanged();
            return response;
        }
    }

    /// Fails unless the request is refused before all of it is sent.
    public void refusesUnfinished(BadRequest request) throws IOException {
        try (RawClient client = connect()) {
            sendRefused(client, request);
            assertUnchanged();
        }
    }

    private static Response sendRefused(RawClient client, BadRequest request) throws IOException {
        Response response = client.send(request.bytes()).response().orElseThrow();
        assertThat(response.status()).as(response.body()).isEqualTo(request.status());
        ServedContract.verifyError(response.status(), response.headers(), response.body());
        assertThat(ServedContract.json(response.body()).get("code").asText()).isEqualTo(request.code());
        assertThat(response.headers()).containsKeys("x-request-id", "x-content-type-options", "date");
        return response;
    }

    /// Fails unless the service responds and has the same animals as at the start.
    public void assertUnchanged() {
        assertThat(service.client().get("/v1/pets?limit=100").body()).isEqualTo(catalogue);
    }
}
