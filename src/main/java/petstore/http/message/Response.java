package petstore.http.message;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

import petstore.Failure;

/// An HTTP response.
///
/// @param headers in the order of sending; a name may be repeated
/// @param body empty for none; not a copy
/// @param refusal the reason of a refused request; absent if it was not refused
@SuppressWarnings("ArrayRecordComponent") // Responses are not compared.
public record Response(int status, List<Header> headers, byte[] body, Optional<Refusal> refusal) {

    public static final Header JSON = Header.of("Content-Type", "application/json");
    /// `Cache-Control` of responses that no cache may store.
    public static final Header NO_STORE = Header.of("Cache-Control", "no-store");

    /// The reason of a refused request.
    ///
    /// @param kind the code of the response
    /// @param unavailability the cause of a 503; absent for others
    /// @param reason for operators, never with text of the client; it may say more than the response
    public record Refusal(Failure.Kind kind, Optional<Failure.Unavailability> unavailability, String reason) {
    }

    public static Response json(int status, byte[] body, Header... more) {
        return of(status, JSON, body, more);
    }

    /// Returns a response of status 200 with a body of any type.
    public static Response ok(String contentType, byte[] body, Header... more) {
        return of(200, Header.of("content-type", contentType), body, more);
    }

    private static Response of(int status, Header contentType, byte[] body, Header... more) {
        Header[] headers = new Header[more.length + 2];
        headers[0] = contentType;
        System.arraycopy(more, 0, headers, 1, more.length);
        headers[more.length + 1] = Header.of("content-length", String.valueOf(body.length));
        return new Response(status, List.of(headers), body, Optional.empty());
    }

    public static Response bodiless(int status, Header... headers) {
        return new Response(status, List.of(headers), new byte[0], Optional.empty());
    }

    /// Returns this response with more headers after its own.
    public Response with(List<Header> more) {
        return new Response(status, Header.joined(headers, more), body, refusal);
    }

    /// Returns this response with another body of any type.
    public Response withBody(String contentType, String text) {
        byte[] other = text.getBytes(StandardCharsets.UTF_8);
        Header[] kept = headers.stream().filter(header -> !header.is("Content-Type") && !header.is("Content-Length"))
                .toArray(Header[]::new);
        return new Response(status, of(status, Header.of("content-type", contentType), other, kept).headers(), other,
                refusal);
    }

    Response refusing(Refusal reason) {
        return new Response(status, headers, body, Optional.of(reason));
    }

    /// Returns this refusal with another reason for operators, which the client does not get.
    public Response because(String reason) {
        Refusal shown = refusal.orElseThrow();
        return refusing(new Refusal(shown.kind(), shown.unavailability(), reason));
    }
}
