package petstore.http.server;

import java.util.function.Consumer;

import io.netty.buffer.Unpooled;
import io.netty.util.AsciiString;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.buffer.BufferInternal;
import petstore.http.message.Header;
import petstore.http.message.Response;

/// Writes responses with Vert.x.
final class ResponseWriter {

    private static final int SLICE = 16 * 1024;

    private ResponseWriter() {
    }

    /// Writes status and headers.
    ///
    /// @param record has the headers after those of the response
    /// @param last true if the connection is closed after the response
    static void writeHead(HttpServerResponse to, Response response, RequestRecord record, boolean last) {
        MultiMap head = to.setStatusCode(response.status()).headers();
        Consumer<Header> add = header -> head.add(VertxHeaders.name(header.name()),
                new AsciiString(header.value(), false));
        response.headers().forEach(add);
        record.forEachHeader(add);
        if (last) {
            head.set(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
    }

    /// Writes the body, except for HEAD, and ends the response. With HTTP/1.1 it waits until the client has read the earlier responses. A
    /// long body is written in slices, each after the client has read the earlier ones.
    ///
    /// @param ended called with true if everything is sent, else with false
    static void writeBody(HttpServerRequest request, Response response, Consumer<Boolean> ended) {
        HttpServerResponse to = request.response();
        if (request.version() == HttpVersion.HTTP_2 || !to.writeQueueFull()) {
            end(request, response, ended);
            return;
        }
        to.drainHandler(_ -> {
            // Vert.x would call it again when a part of this response has been read.
            to.drainHandler(null);
            end(request, response, ended);
        });
    }

    private static void end(HttpServerRequest request, Response response, Consumer<Boolean> ended) {
        HttpServerResponse to = request.response();
        if (!to.ended() && !to.closed()) {
            boolean bodiless = request.method().equals(HttpMethod.HEAD);
            (bodiless ? to.end() : end(to, response.body(), 0)).onComplete(done -> ended.accept(done.succeeded()));
        }
    }

    private static Future<Void> end(HttpServerResponse to, byte[] body, int offset) {
        int left = body.length - offset;
        return left <= SLICE
                ? to.end(slice(body, offset, left))
                : to.write(slice(body, offset, SLICE)).compose(_ -> end(to, body, offset + SLICE));
    }

    private static Buffer slice(byte[] body, int offset, int length) {
        return BufferInternal.buffer(Unpooled.wrappedBuffer(body, offset, length));
    }
}
