package petstore.http.server;

import java.util.List;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;
import petstore.http.message.HeaderFields;
import petstore.http.message.RequestHead;
import petstore.http.message.RequestId;

/// The header fields of a request, in Vert.x's form.
record VertxHeaders(MultiMap fields) implements HeaderFields {

    /// The most header fields that are kept until the response is sent.
    private static final int USUAL_FIELDS = 32;

    /// Returns the head of a request.
    ///
    /// @param connection null if it is closed
    /// @param beganMillis the time when the header block was complete, in milliseconds since 1970
    static RequestHead head(HttpServerRequest request, @Nullable ConnectionWatch connection, long beganMillis) {
        String path = request.path();
        HeaderFields headers = new VertxHeaders(request.headers());
        return new RequestHead(request.method().name(), path == null ? "" : path, request.query(),
                headers, connection == null ? "-" : connection.client(headers),
                RequestId.of(request.getHeader(RequestId.FIELD)),
                beganMillis);
    }

    /// Frees the memory of unusually many fields: the client may not read the response for long.
    static void release(MultiMap fields) {
        int count = 0;
        // size() would sort the names.
        for (var _ : fields) {
            count++;
        }
        if (count > USUAL_FIELDS) {
            fields.clear();
        }
    }

    @Override
    public List<String> all(String name) {
        return fields.getAll(name);
    }

    @Override
    public @Nullable String first(String name) {
        return fields.get(name);
    }
}
