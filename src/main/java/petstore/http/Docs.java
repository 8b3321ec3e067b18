package petstore.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import petstore.Failure;
import petstore.http.message.ConditionalResponse;
import petstore.http.message.Header;
import petstore.http.message.Request;
import petstore.http.message.Response;

/// The reference page of the API, with its scripts and style sheets.
public final class Docs {

    private static final Header NO_FRAME = Header.of("X-Frame-Options", "DENY");
    private static final Header NO_REFERRER = Header.of("Referrer-Policy", "no-referrer");
    private static final Map<String, String> TYPES = Map.of("css", "text/css; charset=utf-8", "js",
            "text/javascript; charset=utf-8");

    private final String address;
    private final Header policy;
    private final Map<String, ConditionalResponse> files = new ConcurrentHashMap<>();

    public Docs(ApiSettings settings) {
        String apis = Stream.of(settings.baseUrl(), settings.stagingBaseUrl()).flatMap(Optional::stream)
                .map(BaseUrl::origin).distinct().collect(Collectors.joining(" ", " ", "")).stripTrailing();
        this.address = settings.docs();
        this.policy = Header.of("Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
                        + " connect-src 'self'" + apis
                        + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    }

    /// Returns the URL of the page.
    String address() {
        return address;
    }

    Response redirect(Request request) {
        return Response.bodiless(302, Header.of("Location", address), Response.NO_STORE);
    }

    Response page(Request request) {
        return file(request, "index.html", "text/html; charset=utf-8");
    }

    /// Returns a script or a style sheet of the page.
    Response asset(Request request) {
        String name = request.parameter();
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        if (type == null || !name.matches("[a-z-]+\\.[a-z]+") || Docs.class.getResource("docs/" + name) == null) {
            throw new Failure(Failure.Kind.NOT_FOUND, "the reference page does not have this file");
        }
        return file(request, name, type);
    }

    private Response file(Request request, String name, String type) {
        return files.computeIfAbsent(name, _ -> new ConditionalResponse(
                Response.ok(type, resource("docs/" + name), policy, NO_FRAME, NO_REFERRER))).respondTo(request);
    }

    /// Returns the bytes of a resource of the program.
    static byte[] resource(String name) {
        try (InputStream resource = Docs.class.getResourceAsStream(name)) {
            if (resource == null) {
                throw new IllegalStateException("no resource " + name);
            }
            return resource.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
