package petstore.http.message;

import java.util.Optional;

import org.jspecify.annotations.Nullable;
import petstore.ApiKey;

/// An authenticated and routed request, with its body.
///
/// @param head the request line and the header fields
/// @param parameter the value of the parameter at the end of the route's path, decoded; empty if the route has none
/// @param key the API key that sent it; absent outside `/v1`
/// @param content the whole body; empty unless the route reads it
public record Request(RequestHead head, String parameter, Optional<ApiKey> key, Content content) {

    /// Bytes of a body.
    ///
    /// @param bytes not a copy
    @SuppressWarnings("ArrayRecordComponent") // Nothing compares bodies.
    public record Content(byte[] bytes) {

        /// No body.
        public static final Content NONE = new Content(new byte[0]);
    }

    public HeaderFields headers() {
        return head.headers();
    }

    @Nullable
    public String query() {
        return head.query();
    }

    public byte[] body() {
        return content.bytes();
    }
}
