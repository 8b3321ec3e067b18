package petstore.blackbox;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.asynchttpclient.AsyncHttpClient;
import org.asynchttpclient.Dsl;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import petstore.testkit.ApiClient;
import petstore.testkit.FreePort;
import petstore.testkit.Programs;
import petstore.testkit.ServedContract;
import petstore.testkit.TcpProxy;
import petstore.testkit.TestService;
import petstore.testkit.Tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/// Clients that send a POST again by themselves if their kept connection closes without a response.
class RepeatingClientsTest extends AbstractServiceTest {

    private static final Map<String, String> AUTHORIZATION = Map.of("Authorization", "Bearer " + TestService.KEY);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String JSON = "application/json";
    private static final String PET = "{\"name\":\"Rex\",\"categoryId\":7}";

    enum Client {
        CURL {
            @Override
            int post(String url, Map<String, String> headers) throws Exception {
                return curl(url, headers);
            }
        },
        HTTP_URL_CONNECTION {
            @Override
            int post(String url, Map<String, String> headers) throws Exception {
                return httpUrlConnection(url, headers);
            }
        },
        OK_HTTP {
            @Override
            int post(String url, Map<String, String> headers) throws Exception {
                return okHttp(Protocol.HTTP_1_1, url, headers);
            }
        },
        OK_HTTP_2 {
            @Override
            int post(String url, Map<String, String> headers) throws Exception {
                return okHttp(Protocol.H2_PRIOR_KNOWLEDGE, url, headers);
            }
        },
        ASYNC_HTTP_CLIENT {
            @Override
            int post(String url, Map<String, String> headers) throws Exception {
                return asyncHttpClient(url, headers);
            }
        };

        /// Sends a GET, then a POST on the same connection, with the default settings of the client. Returns the status of the POST.
        abstract int post(String url, Map<String, String> headers) throws Exception;
    }

    @AutoClose
    private TcpProxy relay;

    @BeforeEach
    void startRelay() throws IOException {
        relay = new TcpProxy(service.port(), Duration.ZERO);
        relay.loseResponseTo("POST /v1/pets ");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "OK_HTTP_2")
    void addOneAnimalWithIdempotencyKey(Client client) throws Exception {
        Map<String, String> headers = new HashMap<>(AUTHORIZATION);
        headers.put("Idempotency-Key", "k");
        assertThat(client.post(url(relay.port()), headers)).isEqualTo(201);
        assertThat(arrivals()).isEqualTo(2);
        assertThat(animals()).isEqualTo(1);
    }

    @Test
    void addTwoAnimalsWithoutIdempotencyKey() throws Exception {
        assertThat(httpUrlConnection(url(relay.port()), AUTHORIZATION)).isEqualTo(201);
        assertThat(animals()).isEqualTo(2);
    }

    /// Both replicas of `deploy/haproxy.cfg` are the relay, so HAProxy sees a replica that dies with the POST in hand.
    @ParameterizedTest
    @EnumSource
    void getStatus502OfHaproxyAndSendPostOnce(Client client) throws Exception {
        Optional<String> haproxy = Tools.daemon("haproxy");
        assumeThat(haproxy).as("haproxy is installed").isPresent();
        int port = FreePort.find();
        ProcessBuilder builder = Programs.builder(List.of(haproxy.get(), "-db", "-f", "deploy/haproxy.cfg"))
                .redirectErrorStream(true).redirectOutput(folder.resolve("haproxy.log").toFile());
        builder.environment().putAll(Map.of("PETSTORE_PROXY_LISTEN", "127.0.0.1:" + port,
                "PETSTORE_PROXY_SOCKET", folder.resolve("haproxy.sock").toString(),
                "PETSTORE_REPLICA_1", "127.0.0.1:" + relay.port(), "PETSTORE_REPLICA_2", "127.0.0.1:" + relay.port()));
        Process process = builder.start();
        try {
            await("HAProxy").atMost(PATIENCE).ignoreExceptions()
                    .until(() -> new ApiClient(port, TestService.KEY).get("/v1/pets").statusCode() == 200);
            assertThat(client.post(url(port), AUTHORIZATION)).isEqualTo(502);
            assertThat(arrivals()).isEqualTo(1);
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    private static String url(int port) {
        return "http://127.0.0.1:" + port + "/v1/pets";
    }

    /// Returns the number of POSTs that the service has answered.
    private int arrivals() throws IOException {
        service.awaitNoRequest();
        return service.metric("http_server_request_duration_seconds_count{http_request_method=\"POST\","
                + "http_response_status_code=\"201\",http_route=\"/v1/pets\"}");
    }

    private int animals() {
        return ServedContract.json(service.client().get("/v1/pets").body()).size();
    }

    private static int curl(String url, Map<String, String> headers) throws IOException {
        assumeThat(Tools.isInstalled("curl")).as("curl is installed").isTrue();
        List<String> each = new ArrayList<>(List.of("-s", "-o", "/dev/null", "-w", "%{http_code}\n"));
        headers.forEach((name, value) -> each.addAll(List.of("-H", name + ": " + value)));
        List<String> command = new ArrayList<>(List.of("curl"));
        command.addAll(each);
        command.addAll(List.of(url, "--next"));
        command.addAll(each);
        command.addAll(List.of("-H", "Content-Type: " + JSON, "-d", PET, url));
        List<String> statuses = Programs.builder(command).start().inputReader(StandardCharsets.UTF_8).lines().toList();
        assertThat(statuses).hasSize(2);
        return Integer.parseInt(statuses.getLast());
    }

    private static int httpUrlConnection(String url, Map<String, String> headers) throws IOException {
        try (InputStream body = connection(url, headers).getInputStream()) {
            body.readAllBytes();
        }
        HttpURLConnection post = connection(url, headers);
        post.setDoOutput(true);
        post.setRequestProperty("Content-Type", JSON);
        try (OutputStream body = post.getOutputStream()) {
            body.write(PET.getBytes(StandardCharsets.UTF_8));
        }
        return post.getResponseCode();
    }

    private static HttpURLConnection connection(String url, Map<String, String> headers) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
        headers.forEach(connection::setRequestProperty);
        return connection;
    }

    private static int okHttp(Protocol protocol, String url, Map<String, String> headers) throws IOException {
        OkHttpClient client = new OkHttpClient.Builder().protocols(List.of(protocol)).build();
        Request.Builder request = new Request.Builder().url(url);
        headers.forEach(request::header);
        client.newCall(request.build()).execute().close();
        Request post = request.post(RequestBody.create(PET, MediaType.get(JSON))).build();
        try (Response response = client.newCall(post).execute()) {
            return response.code();
        } finally {
            client.connectionPool().evictAll();
        }
    }

    private static int asyncHttpClient(String url, Map<String, String> headers) throws Exception {
        try (AsyncHttpClient client = Dsl.asyncHttpClient()) {
            client.executeRequest(Dsl.get(url).setSingleHeaders(headers)).get();
            return client.executeRequest(Dsl.post(url).setSingleHeaders(headers).setHeader("Content-Type", JSON)
                    .setBody(PET)).get().getStatusCode();
        }
    }
}
