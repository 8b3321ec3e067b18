package petstore.http;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.netty.util.AsciiString;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.internal.buffer.BufferInternal;
import petstore.Sha256;

/// What a read gives, for conditional requests (RFC 9110 section 13): a client that has it already is not sent it again.
///
/// Its tag covers the headers too: a page keeps its animals when a page behind it appears, but gets a `Link`.
final class Representation {

    private static final Header REVALIDATE = Header.of("Cache-Control", "private, no-cache");
    private static final Pattern ENTITY_TAG = Pattern.compile("(?:W/)?(\"[^\"]*\")");
    private static final int TAG_BYTES = 16;

    private final Answer whole;
    private final String tag;

    /// @param answer what a read that succeeded answers
    Representation(Answer answer) {
        tag = tag(answer);
        whole = answer.with(List.of(Header.of(HttpHeaders.ETAG, tag), REVALIDATE));
    }

    /// The answer with its `ETag`, or 304 when `If-None-Match` names that.
    Answer answer(Request request) {
        if (!request.headers().contains(HttpHeaders.IF_NONE_MATCH)) {
            return whole;
        }
        boolean known = request.headers().getAll(HttpHeaders.IF_NONE_MATCH).stream()
                .anyMatch(value -> names(value, tag));
        return known ? notModified() : whole;
    }

    private Answer notModified() {
        return Answer.bodiless(304).with(whole.headers().stream().filter(header -> !isOfBody(header)).toList());
    }

    private static boolean isOfBody(Header header) {
        return AsciiString.contentEqualsIgnoreCase(header.name(), HttpHeaders.CONTENT_TYPE)
                || AsciiString.contentEqualsIgnoreCase(header.name(), HttpHeaders.CONTENT_LENGTH);
    }

    /// How many bytes its body has.
    int length() {
        return whole.body().length();
    }

    private static boolean names(String ifNoneMatch, String tag) {
        if (ifNoneMatch.strip().equals("*")) {
            return true;
        }
        Matcher tags = ENTITY_TAG.matcher(ifNoneMatch);
        while (tags.find()) {
            if (tag.equals(tags.group(1))) {
                return true;
            }
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
