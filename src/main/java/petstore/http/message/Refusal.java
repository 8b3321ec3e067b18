package petstore.http.message;

import petstore.Failure;

/// The reason of a refused request.
///
/// @param kind the code of the response
/// @param reason for operators, never with text of the client; it may say more than the response
public record Refusal(Failure.Kind kind, String reason) {
}
