package petstore.http.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import petstore.Failure;
import petstore.Utf8;

/// What the service says to a request.
///
/// @param status the HTTP status
/// @param headers in the order of sending; a name may stand more than once
/// @param body the bytes of the body, empty for none
/// @param refusal why the request was refused; absent when it was not
public record Answer(int status, List<Header> headers, Buffer body, Optional<Failure.Kind> refusal) {

    static final Header JSON = Header.of("Content-Type", "application/json");
    public static final Header NO_STORE = Header.of("Cache-Control", "no-store");

    private static final int SLICE = 16 * 1024;

    public Answer {
        headers = List.copyOf(headers);
    }

    public static Answer json(int status, Utf8 body, Header... more) {
        return of(status, JSON,
                Buffer.buffer(body.length()).appendBytes(body.bytes(), body.offset(), body.length()), more);
    }

    public static Answer json(int status, byte[] body, Header... more) {
        return of(status, JSON, Buffer.buffer(body), more);
    }

    public static Answer ok(String contentType, byte[] body, Header... more) {
        return of(200, Header.of(HttpHeaders.CONTENT_TYPE, contentType), Buffer.buffer(body), more);
    }

    private static Answer of(int status, Header contentType, Buffer body, Header... more) {
        List<Header> headers = new ArrayList<>(List.of(more));
        headers.addFirst(contentType);
        headers.add(Header.of(HttpHeaders.CONTENT_LENGTH, String.valueOf(body.length())));
        return new Answer(status, headers, body, Optional.empty());
    }

    public static Answer bodiless(int status, Header... headers) {
        return new Answer(status, List.of(headers), Buffer.buffer(), Optional.empty());
    }

    /// Sends the body, a long one in slices, each when the client has taken those before: what waits for it is kept beside the heap.
    public Future<Void> endWithBody(HttpServerResponse response) {
        return end(response, body);
    }

    private static Future<Void> end(HttpServerResponse response, Buffer rest) {
        return rest.length() <= SLICE
                ? response.end(rest)
                : response.write(rest.slice(0, SLICE))
                        .compose(_ -> end(response, rest.slice(SLICE, rest.length())));
    }

    /// This answer with `more` behind its own headers.
    public Answer with(List<Header> more) {
        if (more.isEmpty()) {
            return this;
        }
        List<Header> all = new ArrayList<>(headers);
        all.addAll(more);
        return new Answer(status, all, body, refusal);
    }

    /// This answer, as that to a request which was refused.
    Answer refusing(Failure.Kind kind) {
        return new Answer(status, headers, body, Optional.of(kind));
    }
}
