package petstore.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

import petstore.Failure;
import petstore.http.message.ConditionalResponse;
import petstore.http.message.Header;
import petstore.http.message.Request;
import petstore.http.message.Response;

/// The files of a web page, which are resources of the program. Each has an `ETag`, and is compressed once if clients accept gzip.
final class WebFiles {

    private static final String INDEX = "index.html";
    private static final Pattern LINK_TO_PAGE = Pattern.compile("(?m)^.*href=\"\\./\".*\\R");
    private static final Map<String, String> TYPES = Map.of("html", "text/html; charset=utf-8", "css",
            "text/css; charset=utf-8", "js", "text/javascript; charset=utf-8", "svg", "image/svg+xml");

    private final String folder;
    private final List<Header> headers;
    private final UnaryOperator<String> index;
    private final Map<String, ConditionalResponse> files = new ConcurrentHashMap<>();

    /// @param folder the folder, relative to this class
    /// @param origins further origins to which the page may send requests, each after a blank
    /// @param trustedTypes the policies of Trusted Types
    /// @param vary the request headers that choose a response
    /// @param index returns the file `index.html` from its template
    WebFiles(String folder, String origins, String trustedTypes, String vary, UnaryOperator<String> index) {
        String policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'"
                + origins + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
                + " require-trusted-types-for 'script'; trusted-types " + trustedTypes;
        this.folder = folder;
        this.index = index;
        this.headers = List.of(Header.of("Content-Security-Policy", policy), Header.of("X-Frame-Options", "DENY"),
                Header.of("Referrer-Policy", "no-referrer"), Header.of("Vary", vary));
    }

    /// Returns the files of the reference page, which may send requests to the API.
    static WebFiles docs(ApiSettings settings) {
        String apis = Stream.of(settings.baseUrl(), settings.stagingBaseUrl()).flatMap(Optional::stream)
                .map(url -> " " + url.origin()).distinct().collect(Collectors.joining());
        return new WebFiles("docs/", apis, "dompurify", "Accept-Encoding",
                html -> settings.page() ? html : LINK_TO_PAGE.matcher(html).replaceAll(""));
    }

    Response page(Request request) {
        return respond(request, INDEX);
    }

    /// Returns the file that the path's parameter names. Errors: [Failure] of kind `NOT_FOUND`.
    Response file(Request request) {
        String name = request.parameter();
        if (!name.matches("[a-z-]+\\.(css|js|svg)") || WebFiles.class.getResource(folder + name) == null) {
            throw new Failure(Failure.Kind.NOT_FOUND, "the page does not have this file");
        }
        return respond(request, name);
    }

    private Response respond(Request request, String name) {
        boolean compressed = request.head().headers().accepts("Accept-Encoding", "gzip");
        return files.computeIfAbsent(compressed ? name + ".gz" : name, _ -> read(name, compressed))
                .respondTo(request);
    }

    private ConditionalResponse read(String name, boolean compressed) {
        byte[] bytes = resource(folder + name);
        if (name.equals(INDEX)) {
            bytes = index.apply(new String(bytes, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
        }
        List<Header> all = new ArrayList<>(headers);
        if (compressed) {
            all.add(Header.of("Content-Encoding", "gzip"));
        }
        String type = Objects.requireNonNull(TYPES.get(name.substring(name.lastIndexOf('.') + 1)));
        return new ConditionalResponse(
                Response.ok(type, compressed ? compress(bytes) : bytes, all.toArray(Header[]::new)));
    }

    private static byte[] compress(byte[] bytes) {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return compressed.toByteArray();
    }

    static byte[] resource(String name) {
        try (InputStream resource = Objects.requireNonNull(WebFiles.class.getResourceAsStream(name), name)) {
            return resource.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
