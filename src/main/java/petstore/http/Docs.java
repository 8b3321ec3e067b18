package petstore.http;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import petstore.http.message.Request;
import petstore.http.message.Response;

/// The reference page of the API.
public final class Docs {

    private final String address;
    private final WebFiles files;

    public Docs(ApiSettings settings) {
        String apis = Stream.of(settings.baseUrl(), settings.stagingBaseUrl()).flatMap(Optional::stream)
                .map(BaseUrl::origin).distinct().collect(Collectors.joining(" ", " ", "")).stripTrailing();
        this.address = settings.docs();
        this.files = new WebFiles("docs/",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
                        + " connect-src 'self'" + apis
                        + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                "Accept-Encoding");
    }

    /// Returns the URL of the page.
    String address() {
        return address;
    }

    Response page(Request request) {
        return files.page(request);
    }

    /// Returns a script or a style sheet of the page.
    Response asset(Request request) {
        return files.file(request);
    }
}
