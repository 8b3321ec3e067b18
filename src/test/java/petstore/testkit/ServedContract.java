package petstore.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import com.atlassian.oai.validator.OpenApiInteractionValidator;
import com.atlassian.oai.validator.model.Request;
import com.atlassian.oai.validator.model.SimpleResponse;
import com.atlassian.oai.validator.report.ValidationReport;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

import static org.assertj.core.api.Assertions.assertThat;

/// Checks of responses against the contract, `openapi.yaml`.
public final class ServedContract {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final YAMLMapper YAML = YAMLMapper.builder().build();
    private static final OpenApiInteractionValidator VALIDATOR = OpenApiInteractionValidator
            .createForInlineApiSpecification(openapi()).withBasePathOverride("/v1").build();
    private static final JsonNode PATHS = yaml(openapi()).get("paths");
    private static final Pattern OPERATION = Pattern.compile("GET /v1/pets(/[^/]+)?|POST /v1/pets");
    private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._-]{1,128}");
    private static final Set<Integer> STATUSES_FOR_ANY_REQUEST = Set.of(400, 401, 404, 405, 414, 431);

    private ServedContract() {
    }

    /// Fails unless the contract documents this response. For paths outside `/v1`, only the common headers and the body of errors are
    /// checked.
    public static void verify(String method, String pathAndQuery, int status, Map<String, List<String>> headers,
            String body) {
        assertThat(headers.keySet()).doesNotContain("server");
        assertThat(headers.get("x-request-id")).singleElement().asString().matches(REQUEST_ID);
        assertThat(headers.get("x-content-type-options")).containsExactly("nosniff");
        if (method.equals("HEAD")) {
            assertThat(body).isEmpty();
            return;
        }
        if (status >= 400) {
            verifyError(status, headers, body);
        }
        String path = pathAndQuery.split("\\?", 2)[0];
        if (OPERATION.matcher(method + " " + path).matches()) {
            verifyOperation(method, path, status, headers, body);
        } else if (path.startsWith("/v1")) {
            assertThat(status).isIn(STATUSES_FOR_ANY_REQUEST);
        }
    }

    private static void verifyOperation(String method, String path, int status, Map<String, List<String>> headers,
            String body) {
        SimpleResponse.Builder response = SimpleResponse.Builder.status(status);
        headers.forEach(response::withHeader);
        if (!body.isEmpty()) {
            response.withBody(body);
        }
        assertThat(statuses(PATHS.at(path.equals("/v1/pets") ? "/~1pets" : "/~1pets~1{petId}")
                .get(method.toLowerCase(Locale.ROOT)))).contains(String.valueOf(status));
        Request.Method operation = method.equals("POST") ? Request.Method.POST : Request.Method.GET;
        ValidationReport report = VALIDATOR.validateResponse(path, operation, response.build());
        assertThat(report.getMessages()).as("%s %s: %d %s", method, path, status, body).isEmpty();
    }

    /// Returns the statuses that the contract lists for an operation, without `default`, which is for malformed requests.
    public static List<String> statuses(JsonNode operation) {
        return operation.get("responses").propertyStream().map(Map.Entry::getKey)
                .filter(status -> !status.equals("default")).toList();
    }

    /// Fails unless `body` is an Error object with this status and no further members.
    static void verifyError(int status, Map<String, List<String>> headers, String body) {
        assertThat(headers.get("content-type")).containsExactly("application/json");
        JsonNode error = json(body);
        assertThat(error.propertyStream().map(Map.Entry::getKey)).containsExactlyInAnyOrder("code", "message",
                "status");
        assertThat(error.path("code").isTextual()).isTrue();
        assertThat(error.path("message").asText()).isNotBlank();
        assertThat(error.path("status").isInt()).isTrue();
        assertThat(error.path("status").asInt()).isEqualTo(status);
    }

    public static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("not JSON: " + text, e);
        }
    }

    public static JsonNode yaml(String text) {
        try {
            return YAML.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("not YAML: " + text, e);
        }
    }

    /// Returns the contract in the repository.
    public static String openapi() {
        try {
            return Files.readString(Path.of("openapi.yaml"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
