package petstore.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.netty.util.AsciiString;
import io.vertx.core.http.HttpHeaders;

/// Conditional requests (RFC 9110 section 13): an answer that the client has already is not sent again.
final class Conditional {

    private static final Header REVALIDATE = Header.constant("Cache-Control", "private, no-cache");
    private static final Pattern ENTITY_TAG = Pattern.compile("(?:W/)?(\"[^\"]*\")");
    private static final int TAG_BYTES = 16;

    private Conditional() {
    }

    /// The answer to a read that succeeded: with its `ETag`, or 304 when `If-None-Match` names that.
    ///
    /// The tag covers the headers too: a page keeps its animals when a page behind it appears, but gets a `Link`.
    static Answer revalidated(Request request, Answer answer) {
        String tag = tag(answer);
        List<Header> headers = List.of(Header.of(HttpHeaders.ETAG, tag), REVALIDATE);
        boolean known = request.headers().getAll(HttpHeaders.IF_NONE_MATCH).stream()
                .anyMatch(value -> names(value, tag));
        if (!known) {
            return answer.with(headers);
        }
        List<Header> kept = answer.headers().stream()
                .filter(header -> !AsciiString.contentEqualsIgnoreCase(header.name(), HttpHeaders.CONTENT_TYPE))
                .toList();
        return Answer.bodiless(304).with(kept).with(headers);
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
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Header header : answer.headers()) {
                digest.update((header.name() + ":" + header.value() + "\n").getBytes(StandardCharsets.UTF_8));
            }
            byte[] bytes = Arrays.copyOf(digest.digest(answer.body().getBytes()), TAG_BYTES);
            return '"' + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
