package petstore.http.server.codec;

import java.util.Optional;

import petstore.Failure.Kind;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.HeaderFields;
import petstore.http.message.Response;

/// The head of a request, checked. It is the same for HTTP/1.1 and for a stream of HTTP/2.
///
/// @param target the path and query
/// @param hasBody true if the client sends a body, which may be empty
/// @param isLast true if the connection closes after the response
/// @param kept the field `Connection` of a response after which the connection stays open; absent if the client expects that
/// @param refusal the response to a head that HTTP forbids; absent if it is valid
public record Head(String method, String target, HeaderFields fields, boolean hasBody, boolean isLast,
        Optional<Header> kept, Optional<Response> refusal) {

    static final Response TOO_LONG = Errors.response(431, Kind.INVALID_REQUEST, "the header block is too long");
}
