package petstore.http.server;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.netty.util.AsciiString;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;
import petstore.http.message.HeaderFields;
import petstore.http.message.RequestHead;
import petstore.http.message.RequestId;
import petstore.http.telemetry.Telemetry;

/// The header fields of a request, in Vert.x's form.
record VertxHeaders(MultiMap fields) implements HeaderFields {

    /// The names of header fields, which are few: no client chooses them. Vert.x is fastest with names of this type.
    private static final Map<String, AsciiString> NAMES = new ConcurrentHashMap<>();

    /// Returns the name of a header field of the API.
    static AsciiString name(String name) {
        AsciiString known = NAMES.get(name);
        return known == null ? NAMES.computeIfAbsent(name, AsciiString::cached) : known;
    }

    /// Returns the head of a request.
    ///
    /// @param connection null if it is closed
    /// @param beganMillis the time when the header block was complete, in milliseconds since 1970
    static RequestHead head(HttpServerRequest request, @Nullable ConnectionWatch connection, Telemetry telemetry,
            long beganMillis) {
        String path = request.path();
        HeaderFields headers = new VertxHeaders(request.headers());
        return new RequestHead(request.method().name(), path == null ? "" : path, request.query(),
                headers, connection == null ? "-" : connection.client(headers),
                telemetry.requestId(request.getHeader(name(RequestId.FIELD))),
                beganMillis);
    }

    @Override
    public List<String> all(String name) {
        return fields.getAll(name(name));
    }

    @Override
    public @Nullable String first(String name) {
        return fields.get(name(name));
    }
}
