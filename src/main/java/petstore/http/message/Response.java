package petstore.http.message;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import petstore.Failure;

/// An HTTP response.
public final class Response {

    /// `Content-Type` of JSON.
    public static final Header JSON = Header.of("Content-Type", "application/json");
    /// `Cache-Control` of responses that nobody may keep.
    public static final Header NO_STORE = Header.of("Cache-Control", "no-store");

    private static final byte[] NO_BODY = new byte[0];

    private final int status;
    private final List<Header> headers;
    private final byte[] body;
    private final Optional<Failure.Kind> refusal;

    private Response(int status, List<Header> headers, byte[] body, Optional<Failure.Kind> refusal) {
        this.status = status;
        this.headers = headers;
        this.body = body;
        this.refusal = refusal;
    }

    /// A response with a JSON body.
    public static Response json(int status, byte[] body, Header... more) {
        return of(status, JSON, body, more);
    }

    /// A response of status 200 with a body of any type.
    public static Response ok(String contentType, byte[] body, Header... more) {
        return of(200, Header.of("content-type", contentType), body, more);
    }

    private static Response of(int status, Header contentType, byte[] body, Header... more) {
        List<Header> headers = new ArrayList<>(more.length + 2);
        headers.add(contentType);
        headers.addAll(List.of(more));
        headers.add(Header.of("content-length", String.valueOf(body.length)));
        return new Response(status, List.copyOf(headers), body, Optional.empty());
    }

    /// A response without a body.
    public static Response bodiless(int status, Header... headers) {
        return new Response(status, List.of(headers), NO_BODY, Optional.empty());
    }

    /// Returns this response with more headers after its own.
    public Response with(List<Header> more) {
        if (more.isEmpty()) {
            return this;
        }
        List<Header> all = new ArrayList<>(headers);
        all.addAll(more);
        return new Response(status, List.copyOf(all), body, refusal);
    }

    /// Returns this response as one that refuses its request.
    Response refusing(Failure.Kind kind) {
        return new Response(status, headers, body, Optional.of(kind));
    }

    public int status() {
        return status;
    }

    /// Returns the headers in the order of sending; a name may be repeated.
    public List<Header> headers() {
        return headers;
    }

    /// Returns the bytes of the body, empty for none; not a copy.
    public byte[] body() {
        return body;
    }

    /// Returns why the request was refused; absent if it was not.
    public Optional<Failure.Kind> refusal() {
        return refusal;
    }

    @Override
    public String toString() {
        return status + " " + headers + " " + new String(body, StandardCharsets.UTF_8);
    }
}
