package petstore.http.server.codec;

import java.util.Optional;

import petstore.Failure.Kind;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.Response;

/// The head of a request, checked. It is the same for HTTP/1.1 and for a stream of HTTP/2.
///
/// @param target the path and query
/// @param hasBody true if the client sends a body, which may be empty
/// @param refusal the response to a head that HTTP forbids; absent if it is valid
public record Head(String method, String target, RequestFields fields, boolean hasBody, Next next,
        Optional<Response> refusal) {

    /// The use of a connection after a response.
    public enum Next {
        /// It carries other streams of HTTP/2.
        STREAMS,
        /// It carries the next request.
        REQUEST,
        /// It carries the next request of HTTP/1.0, whose client asked for that and expects a confirmation.
        CONFIRMED_REQUEST,
        /// It closes.
        CLOSE
    }

    static final Response TOO_LONG = Errors.response(431, Kind.INVALID_REQUEST, "the header block is too long");
    private static final Header CLOSED = Header.of("Connection", "close");
    private static final Header KEPT = Header.of("Connection", "keep-alive");

    public boolean isLast() {
        return next == Next.CLOSE;
    }

    /// Returns the field `Connection` of the response; absent if the client knows its value.
    public Optional<Header> connectionField(boolean closes) {
        return switch (next) {
            case STREAMS -> Optional.empty();
            case REQUEST, CLOSE -> closes ? Optional.of(CLOSED) : Optional.empty();
            case CONFIRMED_REQUEST -> Optional.of(closes ? CLOSED : KEPT);
        };
    }

    public boolean isStream() {
        return next == Next.STREAMS;
    }
}
