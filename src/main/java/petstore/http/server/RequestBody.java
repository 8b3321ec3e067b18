package petstore.http.server;

import java.util.function.Consumer;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import petstore.Failure;
import petstore.Failure.Kind;
import petstore.http.message.Errors;
import petstore.http.message.Response;

/// Reads the body of a request. Confined to the request's event loop.
final class RequestBody {

    /// The most bytes that are read and dropped of a body that nobody needs.
    private static final long MAX_DROPPED_BYTES = 16L * 1024 * 1024;

    private RequestBody() {
    }

    /// Reads the body, and calls exactly one of the two, once; neither if the client closes the connection before.
    ///
    /// @param limit the longest body in bytes
    /// @param done gets the whole body
    /// @param refused gets the refusal of a longer body as early as possible; the rest of the body is left to the caller
    static void read(HttpServerRequest request, int limit, Consumer<byte[]> done, Consumer<Response> refused) {
        String announced = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (announced != null && Long.parseLong(announced) > limit) {
            refused.accept(tooLarge(limit));
            return;
        }
        Buffer body = Buffer.buffer();
        request.handler(chunk -> {
            if (body.length() + chunk.length() > limit) {
                request.handler(null).endHandler(null);
                refused.accept(tooLarge(limit));
            } else {
                body.appendBuffer(chunk);
            }
        });
        request.endHandler(_ -> done.accept(body.getBytes()));
        if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))
                && request.version() != HttpVersion.HTTP_1_0) {
            request.response().writeContinue();
        }
    }

    private static Response tooLarge(int limit) {
        return Errors.response(new Failure(Kind.PAYLOAD_TOO_LARGE, "the body is longer than " + limit + " bytes"));
    }

    /// Reads and drops the rest of a body, so that the client gets to read the response.
    ///
    /// @param overflow is called if more comes than is dropped for a client
    /// @param ended is called when the body is complete
    static void drop(HttpServerRequest request, Runnable overflow, Runnable ended) {
        long[] dropped = {0};
        request.handler(chunk -> {
            dropped[0] += chunk.length();
            if (dropped[0] > MAX_DROPPED_BYTES) {
                overflow.run();
            }
        });
        request.endHandler(_ -> ended.run());
    }
}
