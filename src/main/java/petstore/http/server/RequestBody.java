package petstore.http.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import petstore.Failure;
import petstore.Failure.Kind;

/// Reads the body of a request, at most [#MAX_LENGTH] bytes of JSON. Confined to the request's event loop.
public final class RequestBody {

    /// The longest body that is read, in bytes.
    static final int MAX_LENGTH = 64 * 1024;

    /// How much is read of a body that nobody wants.
    private static final long MAX_UNWANTED_BYTES = 16L * 1024 * 1024;

    private RequestBody() {
    }

    /// Reads the body. Exactly one of the two is told, once; neither when the client goes away before.
    ///
    /// @param done gets the whole body
    /// @param refused learns as early as possible why the body is not read; what still comes of it is up to the caller
    public static void read(HttpServerRequest request, Consumer<Buffer> done, Consumer<Failure> refused) {
        try {
            checkHeaders(request);
        } catch (Failure e) {
            refused.accept(e);
            return;
        }
        Buffer body = Buffer.buffer();
        request.handler(chunk -> {
            if (body.length() + chunk.length() > MAX_LENGTH) {
                request.handler(null).endHandler(null);
                refused.accept(tooLarge());
            } else {
                body.appendBuffer(chunk);
            }
        });
        request.endHandler(_ -> done.accept(body));
        if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))
                && request.version() != HttpVersion.HTTP_1_0) {
            request.response().writeContinue();
        }
    }

    private static void checkHeaders(HttpServerRequest request) {
        List<String> violations = new ArrayList<>(0);
        mediaTypeViolation(request.headers().getAll(HttpHeaders.CONTENT_TYPE)).ifPresent(violations::add);
        if (request.headers().contains(HttpHeaders.CONTENT_ENCODING)) {
            violations.add("the body must not be compressed: Content-Encoding is not supported");
        }
        if (!violations.isEmpty()) {
            throw new Failure(Kind.UNSUPPORTED_MEDIA_TYPE, String.join("; ", violations));
        }
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (length != null && Long.parseLong(length) > MAX_LENGTH) {
            throw tooLarge();
        }
    }

    private static Failure tooLarge() {
        return new Failure(Kind.PAYLOAD_TOO_LARGE, "the body is longer than " + MAX_LENGTH + " bytes");
    }

    /// Returns the message about a `Content-Type` that is not JSON in UTF-8, the only encoding of JSON between systems (RFC 8259);
    /// empty if it is.
    private static Optional<String> mediaTypeViolation(List<String> contentTypes) {
        if (contentTypes.isEmpty()) {
            return Optional.of("Content-Type is missing: it must be application/json");
        }
        if (contentTypes.size() > 1) {
            return Optional.of("Content-Type must not be repeated");
        }
        String[] parts = contentTypes.getFirst().toLowerCase(Locale.ROOT).split(";", -1);
        if (!parts[0].strip().equals("application/json")) {
            return Optional.of("Content-Type must be application/json");
        }
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].strip().replace("\"", "");
            if (parameter.startsWith("charset") && !parameter.equals("charset=utf-8")) {
                return Optional.of("the charset of Content-Type must be utf-8");
            }
        }
        return Optional.empty();
    }

    /// Reads what has not come yet and drops it, so that its sender gets to read the answer.
    ///
    /// @param tooMuch is called when that is more than anybody should send for nothing
    /// @param ended is called when all of it has come
    static void drop(HttpServerRequest request, Runnable tooMuch, Runnable ended) {
        long[] dropped = {0};
        request.handler(chunk -> {
            dropped[0] += chunk.length();
            if (dropped[0] > MAX_UNWANTED_BYTES) {
                tooMuch.run();
            }
        });
        request.endHandler(_ -> ended.run());
    }
}
