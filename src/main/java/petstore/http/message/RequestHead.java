package petstore.http.message;

import org.jspecify.annotations.Nullable;

/// A request before its body is read.
///
/// @param method as the client spells it
/// @param path the path of the request target, not decoded
/// @param query the part after `?`, not decoded; null if there is no `?`
/// @param client the address of the client; `-` if its connection was closed before
/// @param beganMillis when the header block was complete, in milliseconds since 1970
public record RequestHead(String method, String path, @Nullable String query, HeaderFields headers, String client,
        String id, long beganMillis) {
}
