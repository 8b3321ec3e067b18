package petstore.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import petstore.http.message.Answer;
import petstore.http.message.Representation;
import petstore.http.message.Request;

/// The contract as it is served: `openapi.yaml` with the servers of this installation.
public final class Contract {

    private static final Pattern SERVERS = Pattern.compile("(?m)^servers:\\n(?: .*\\n)+");

    private final HttpSettings settings;
    private final Map<String, Representation> kept = new ConcurrentHashMap<>();

    public Contract(HttpSettings settings) {
        this.settings = settings;
    }

    Answer yaml(Request request) {
        return kept.computeIfAbsent("yaml",
                _ -> new Representation(Answer.ok("application/yaml", yaml().getBytes(StandardCharsets.UTF_8))))
                .answer(request);
    }

    Answer json(Request request) {
        return kept.computeIfAbsent("json", _ -> new Representation(Answer.json(200, asJson()))).answer(request);
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
        String yaml = new String(Docs.resource("/openapi.yaml"), StandardCharsets.UTF_8);
        String servers = server(settings.baseUrl(), "Production") + server(settings.stagingBaseUrl(), "Staging");
        return servers.isEmpty()
                ? yaml
                : SERVERS.matcher(yaml).replaceFirst(Matcher.quoteReplacement("servers:\n" + servers));
    }

    private static String server(Optional<BaseUrl> address, String description) {
        return address.map(url -> "  - url: " + url + "\n    description: " + description + "\n").orElse("");
    }
}
