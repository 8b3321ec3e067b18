package petstore.http.message;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

import io.netty.util.AsciiString;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.internal.buffer.BufferInternal;
import petstore.Failure.Kind;
import petstore.Sha256;

/// The answer to a read, with its `ETag`, for conditional requests (RFC 9110 section 13).
///
/// Its tag covers the headers too: a page keeps its animals when a page behind it appears, but gets a `Link`.
public final class Representation {

    private static final Header REVALIDATE = Header.of("Cache-Control", "private, no-cache");
    private static final CharSequence IF_MATCH = HttpHeaders.createOptimized("If-Match");
    private static final int TAG_BYTES = 16;

    private final Answer whole;
    private final String tag;

    /// @param answer what a read that succeeded answers
    public Representation(Answer answer) {
        tag = tag(answer);
        whole = answer.with(List.of(Header.of(HttpHeaders.ETAG, tag), REVALIDATE));
    }

    /// Returns the answer with its `ETag`; 412 if `If-Match` does not have that tag, 304 if `If-None-Match` has it.
    public Answer answer(Request request) {
        MultiMap headers = request.headers();
        if (headers.contains(IF_MATCH) && !isNamed(headers.getAll(IF_MATCH), false)) {
            return Errors.answer(Kind.PRECONDITION_FAILED, "the ETag is not in If-Match; read it again");
        }
        return headers.contains(HttpHeaders.IF_NONE_MATCH)
                && isNamed(headers.getAll(HttpHeaders.IF_NONE_MATCH), true) ? notModified() : whole;
    }

    private Answer notModified() {
        return Answer.bodiless(304).with(whole.headers().stream().filter(header -> !isOfBody(header)).toList());
    }

    private static boolean isOfBody(Header header) {
        return AsciiString.contentEqualsIgnoreCase(header.name(), HttpHeaders.CONTENT_TYPE)
                || AsciiString.contentEqualsIgnoreCase(header.name(), HttpHeaders.CONTENT_LENGTH);
    }

    /// How many bytes its body has.
    public int length() {
        return whole.body().length();
    }

    /// @param weakToo true for the weak comparison, which takes `W/"x"` for `"x"`
    private boolean isNamed(List<String> fields, boolean weakToo) {
        return fields.stream().anyMatch(field -> field.strip().equals("*") || isListed(field, weakToo));
    }

    /// A list is read as far as it is well-formed.
    private boolean isListed(String field, boolean weakToo) {
        int at = 0;
        while (at < field.length()) {
            if (" \t,".indexOf(field.charAt(at)) >= 0) {
                at++;
                continue;
            }
            boolean weak = field.startsWith("W/", at);
            int open = weak ? at + 2 : at;
            if (field.startsWith(tag, open) && (weakToo || !weak)) {
                return true;
            }
            int close = field.startsWith("\"", open) ? field.indexOf('"', open + 1) : -1;
            if (close < 0) {
                return false;
            }
            at = close + 1;
        }
        return false;
    }

    private static String tag(Answer answer) {
        byte[] hash = Sha256.of(digest -> {
            for (Header header : answer.headers()) {
                update(digest, header.name(), ':');
                update(digest, header.value(), '\n');
            }
            digest.update(((BufferInternal) answer.body()).getByteBuf().nioBuffer());
        });
        byte[] bytes = Arrays.copyOf(hash, TAG_BYTES);
        return '"' + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes) + '"';
    }

    private static void update(MessageDigest digest, AsciiString text, char end) {
        digest.update(text.array(), text.arrayOffset(), text.length());
        digest.update((byte) end);
    }
}
