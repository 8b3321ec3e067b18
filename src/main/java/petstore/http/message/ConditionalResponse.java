package petstore.http.message;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import petstore.Failure.Kind;
import petstore.Sha256;

/// A successful response to a read, with its `ETag`, for conditional requests (RFC 9110 section 13).
///
/// The tag covers the headers, too. When a next page appears, a page keeps its animals but gets a `Link`.
public final class ConditionalResponse {

    private static final byte[] COLON = {':'};
    private static final byte[] NEWLINE = {'\n'};
    private static final Header REVALIDATE = Header.of("Cache-Control", "private, no-cache");
    public static final String IF_MATCH = "If-Match";
    public static final String IF_NONE_MATCH = "If-None-Match";
    /// A proxy that compresses a response may add a suffix to its tag. No tag of this service ends so.
    private static final Pattern NEXT_TAG = Pattern
            .compile("\\G[ \\t,]*+(W/)?(\"[^\"]*?)(?:--?(?:gzip|br|zstd|deflate))?\"");
    private static final int TAG_BYTES = 16;
    private static final Response NOT_IN_IF_MATCH = Errors.response(Kind.PRECONDITION_FAILED,
            "the ETag is not in If-Match; read it again");

    private final Response whole;
    /// Without its closing quote.
    private final String tag;

    public ConditionalResponse(Response response) {
        tag = tag(response);
        whole = response.with(List.of(Header.of("etag", tag + '"'), REVALIDATE));
    }

    /// Returns the response with its `ETag`; 412 if `If-Match` does not have that tag, 304 if `If-None-Match` has it.
    public Response respondTo(Request request) {
        HeaderFields headers = request.head().headers();
        if (failsIfMatch(headers, Optional.of(this))) {
            return NOT_IN_IF_MATCH;
        }
        return failsIfNoneMatch(headers, Optional.of(this))
                ? Response.bodiless(304).with(whole.headers().stream()
                        .filter(header -> !header.is("Content-Type") && !header.is("Content-Length")).toList())
                : whole;
    }

    /// Returns 412 for a request that would change a resource if its preconditions fail; absent if they hold.
    ///
    /// @param current the response to GET of the same target; absent if that is an error
    public static Optional<Response> refusal(HeaderFields headers, Optional<ConditionalResponse> current) {
        if (failsIfMatch(headers, current)) {
            return Optional.of(NOT_IN_IF_MATCH);
        }
        return failsIfNoneMatch(headers, current)
                ? Optional.of(Errors.response(Kind.PRECONDITION_FAILED, "the ETag is in If-None-Match"))
                : Optional.empty();
    }

    private static boolean failsIfMatch(HeaderFields headers, Optional<ConditionalResponse> current) {
        List<String> fields = headers.all(IF_MATCH);
        return !fields.isEmpty() && current.filter(response -> response.isNamed(fields, false)).isEmpty();
    }

    private static boolean failsIfNoneMatch(HeaderFields headers, Optional<ConditionalResponse> current) {
        List<String> fields = headers.all(IF_NONE_MATCH);
        return !fields.isEmpty() && current.filter(response -> response.isNamed(fields, true)).isPresent();
    }

    public int length() {
        return whole.body().length;
    }

    /// Returns true if the fields have this tag or `*`. A malformed list is read up to the fault.
    ///
    /// @param weakToo true for the weak comparison, in which `W/"x"` equals `"x"`
    private boolean isNamed(List<String> fields, boolean weakToo) {
        return fields.stream().anyMatch(field -> {
            Matcher next = NEXT_TAG.matcher(field);
            boolean named = field.strip().equals("*");
            while (!named && next.find()) {
                named = next.group(2).equals(tag) && (weakToo || next.start(1) < 0);
            }
            return named;
        });
    }

    private static String tag(Response response) {
        List<byte[]> parts = new ArrayList<>();
        for (Header header : response.headers()) {
            parts.addAll(List.of(header.name().getBytes(StandardCharsets.US_ASCII), COLON, header.value(), NEWLINE));
        }
        parts.add(response.body());
        byte[] bytes = Arrays.copyOf(Sha256.of(parts.toArray(byte[][]::new)), TAG_BYTES);
        return '"' + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
