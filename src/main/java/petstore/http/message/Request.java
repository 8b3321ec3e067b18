package petstore.http.message;

import java.util.Optional;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;
import petstore.ApiKey;

/// What an operation sees of a request that has been authenticated and routed.
///
/// @param parameter the value of the parameter at the end of the route's path, decoded; empty when the route has none
/// @param query what stands behind `?`, not decoded; absent when there is nothing
/// @param headers the header fields, names in any case
/// @param key the API key that sent it; absent outside `/v1`
/// @param body the whole body; empty unless the route reads one
public record Request(String parameter, @Nullable String query, MultiMap headers, Optional<ApiKey> key, Buffer body) {
}
