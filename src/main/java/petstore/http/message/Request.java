package petstore.http.message;

import java.util.Optional;

import petstore.ApiKey;

/// An authenticated and routed request, with its body.
///
/// @param parameter the parameter at the end of the route's path, decoded; empty if the route has none
/// @param key the API key of the request; absent outside `/v1`
/// @param body not a copy; empty unless the route reads it
@SuppressWarnings("ArrayRecordComponent") // Requests are not compared.
public record Request(RequestHead head, String parameter, Optional<ApiKey> key, byte[] body) {
}
