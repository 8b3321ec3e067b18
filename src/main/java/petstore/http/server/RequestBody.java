package petstore.http.server;

import java.util.function.Consumer;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import petstore.Failure;
import petstore.Failure.Kind;
import petstore.http.message.Errors;
import petstore.http.message.Expectation;
import petstore.http.message.Response;

/// Reads the body of a request. Confined to the request's event loop.
final class RequestBody {

    /// The maximum number of bytes of an unwanted body that are read and dropped.
    private static final long MAX_DROPPED_BYTES = 16L * 1024 * 1024;

    private RequestBody() {
    }

    /// Reads the body and calls one of the consumers, once; neither if the client closes the connection before.
    ///
    /// @param limit the longest body in bytes
    /// @param done called with the whole body
    /// @param refused called with the refusal of a longer body, before its rest is read
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
        if (Expectation.of(new VertxHeaders(request.headers())) == Expectation.CONTINUE) {
            request.response().writeContinue();
        }
    }

    private static Response tooLarge(int limit) {
        return Errors.response(new Failure(Kind.PAYLOAD_TOO_LARGE, "the body is longer than " + limit + " bytes"));
    }

    /// Reads and drops the rest of a body: a client may read the response only after sending it.
    ///
    /// @param overflow called if the rest is too long
    /// @param ended called when the body is complete
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
