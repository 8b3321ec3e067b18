package petstore.http;

import java.nio.charset.StandardCharsets;

import petstore.Failure;
import petstore.http.message.ConditionalResponse;
import petstore.http.message.Header;
import petstore.http.message.Request;
import petstore.http.message.Response;

/// The page for people at `/`, and a description of the service for programs.
final class Home {

    /// The place of `--idempotency-retention` in the page, in milliseconds.
    private static final String RETENTION = "{idempotency-retention}";

    private final WebFiles files;
    private final boolean hasPage;
    private final ConditionalResponse description;

    Home(ApiSettings settings) {
        this.files = new WebFiles("page/", "", "'none'", "Accept, Accept-Encoding", html -> html.replace(RETENTION,
                String.valueOf(settings.idempotencyRetention().toMillis())));
        this.hasPage = settings.page();
        // The links are relative.
        String json = """
                {"name":"Petstore Animals Service","api":"v1/pets","contract":"openapi.json","docs":"docs"}""";
        this.description = new ConditionalResponse(
                Response.json(200, json.getBytes(StandardCharsets.UTF_8), Header.of("Vary", "Accept")));
    }

    /// Returns the page if the client accepts `text/html`, else the description.
    Response respondTo(Request request) {
        return hasPage && request.head().headers().accepts("Accept", "text/html")
                ? files.page(request)
                : description.respondTo(request);
    }

    /// Returns a script, a style sheet or a picture of the page. Errors: [Failure] of kind `NOT_FOUND`.
    Response file(Request request) {
        if (!hasPage) {
            throw new Failure(Failure.Kind.NOT_FOUND, "this service has no page (--page off)");
        }
        return files.file(request);
    }
}
