package petstore.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import petstore.http.message.ConditionalResponse;
import petstore.http.message.Request;
import petstore.http.message.Response;

/// The contract: `openapi.yaml` with the servers of this installation.
final class OpenApiDocument {

    private static final Pattern SERVERS = Pattern.compile("(?m)^servers:\\n(?: .*\\n)+");

    private final ApiSettings settings;
    private final Map<String, ConditionalResponse> formats = new ConcurrentHashMap<>();

    OpenApiDocument(ApiSettings settings) {
        this.settings = settings;
    }

    Response yaml(Request request) {
        return formats.computeIfAbsent("yaml",
                _ -> new ConditionalResponse(Response.ok("application/yaml", yaml().getBytes(StandardCharsets.UTF_8))))
                .respondTo(request);
    }

    Response json(Request request) {
        return formats.computeIfAbsent("json", _ -> new ConditionalResponse(Response.json(200, asJson())))
                .respondTo(request);
    }

    private byte[] asJson() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonParser yaml = new YAMLFactory().createParser(yaml());
                JsonGenerator json = new JsonFactory().createGenerator(bytes)) {
            yaml.nextToken();
            json.copyCurrentStructure(yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private String yaml() {
        String yaml = new String(WebFiles.resource("/openapi.yaml"), StandardCharsets.UTF_8);
        if (settings.baseUrl().isEmpty() && settings.stagingBaseUrl().isEmpty()) {
            return yaml;
        }
        // This service stays the first server, which /docs and generated clients use.
        String servers = server(settings.base(), "Production")
                + settings.stagingBaseUrl().map(url -> server(url.toString(), "Staging")).orElse("");
        return SERVERS.matcher(yaml).replaceFirst(Matcher.quoteReplacement("servers:\n" + servers));
    }

    private static String server(String url, String description) {
        return "  - url: " + url + "\n    description: " + description + "\n";
    }
}
