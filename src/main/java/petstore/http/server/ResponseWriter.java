package petstore.http.server;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.netty.buffer.Unpooled;
import io.netty.util.AsciiString;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.internal.buffer.BufferInternal;
import petstore.http.message.Header;
import petstore.http.message.Response;

/// Writes responses with Vert.x.
final class ResponseWriter {

    private static final int SLICE = 16 * 1024;
    /// The names of the headers that the service sends, which are few. Vert.x is fastest with names of this type.
    private static final Map<String, AsciiString> NAMES = new ConcurrentHashMap<>();

    private ResponseWriter() {
    }

    /// Adds headers to the head of a response.
    static void add(List<Header> headers, MultiMap head) {
        for (Header header : headers) {
            add(header, head);
        }
    }

    static void add(Header header, MultiMap head) {
        AsciiString name = NAMES.get(header.name());
        if (name == null) {
            name = NAMES.computeIfAbsent(header.name(), AsciiString::cached);
        }
        head.add(name, new AsciiString(header.value(), false));
    }

    /// Sends head and body, the head alone for HEAD. A long body is sent in slices, each once the client has taken those before:
    /// what Netty has is beside the heap.
    static Future<Void> end(HttpServerRequest request, Response response) {
        HttpServerResponse to = request.response();
        return request.method().equals(HttpMethod.HEAD) ? to.end() : end(to, response.body(), 0);
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
