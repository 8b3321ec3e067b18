package petstore.http.server.codec;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValidationUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import petstore.Failure.Kind;
import petstore.http.message.Errors;
import petstore.http.message.HeaderFields;
import petstore.http.message.RequestTarget;
import petstore.http.message.Response;
import petstore.http.message.UriHost;

/// Refuses heads that HTTP/2 forbids and the codec accepts, and passes each head on as a [Head]; the stock codec to HTTP/1.1 loses the
/// scheme, and throws on two hosts. One for each stream.
///
/// A malformed head resets its stream. Another refusal is a response.
/// Source: RFC 9110 section 9.1, RFC 9113 sections 6.5.2, 8.1.1, 8.2.1, 8.3 and 8.5.
public final class StreamHeadCheck extends ChannelInboundHandlerAdapter {

    /// The length that a field adds to its name and value.
    private static final int FIELD_BYTES = 32;
    private static final AsciiString PROTOCOL = AsciiString.cached(":protocol");

    private final Predicate<CharSequence> isKept;
    private boolean hasHead;

    /// @param isKept returns true for the names of header fields that are kept
    public StreamHeadCheck(Predicate<CharSequence> isKept) {
        this.isKept = isKept;
    }

    @Override
    public void channelRead(ChannelHandlerContext stream, Object message) {
        switch (message) {
            case Http2HeadersFrame frame when hasMalformedValue(frame.headers())
                    || (!hasHead && isMalformed(frame.headers())) -> {
                var _ = stream.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.PROTOCOL_ERROR));
            }
            case Http2HeadersFrame _ when hasHead -> stream.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
            case Http2HeadersFrame frame -> {
                hasHead = true;
                stream.fireChannelRead(head(frame));
            }
            case Http2DataFrame data -> stream.fireChannelRead(data.isEndStream()
                    ? new DefaultLastHttpContent(data.content())
                    : new DefaultHttpContent(data.content()));
            default -> ReferenceCountUtil.release(message);
        }
    }

    private static boolean isMalformed(Http2Headers head) {
        CharSequence method = head.method();
        return method == null || method.isEmpty() || HttpHeaderValidationUtil.validateToken(method) != -1
                || AsciiString.contentEquals(method, "CONNECT") || head.contains(PROTOCOL);
    }

    private static boolean hasMalformedValue(Http2Headers headOrTrailers) {
        for (Map.Entry<CharSequence, CharSequence> field : headOrTrailers) {
            CharSequence value = field.getValue();
            if (HttpHeaderValidationUtil.validateValidHeaderValue(value) != -1
                    || (!value.isEmpty() && " \t".indexOf(value.charAt(value.length() - 1)) >= 0)) {
                return true;
            }
        }
        return false;
    }

    private Head head(Http2HeadersFrame frame) {
        Http2Headers head = frame.headers();
        String method = String.valueOf(head.method());
        String target = String.valueOf(head.path());
        HeaderFields kept = new HeaderFields(isKept);
        head.forEach(field -> kept.add(field.getKey(), field.getValue()));
        return new Head(method, target, kept, !frame.isEndStream(), false, Optional.empty(),
                refusal(method, target, head));
    }

    private static Optional<Response> refusal(String method, String target, Http2Headers head) {
        if (bytes(head) > RequestDecoder.MOST_HEAD_BYTES) {
            return Optional.of(Head.TOO_LONG);
        }
        if (target.length() > RequestDecoder.MOST_LINE_BYTES) {
            return Optional.of(Errors.response(414, Kind.INVALID_REQUEST, "the request target is too long"));
        }
        List<String> violations = new ArrayList<>(0);
        if (!RequestTarget.isPath(method, target)) {
            violations.add("the request target must be a path, in visible ASCII characters");
        }
        if (!hasOneHost(head)) {
            violations.add("there must be one :authority or Host field, a host with or without a port");
        }
        return violations.isEmpty()
                ? Optional.empty()
                : Optional.of(Errors.response(Kind.INVALID_REQUEST, violations));
    }

    private static int bytes(Http2Headers head) {
        int bytes = 0;
        for (Map.Entry<CharSequence, CharSequence> field : head) {
            bytes += field.getKey().length() + field.getValue().length() + FIELD_BYTES;
        }
        return bytes;
    }

    /// Returns true if `:authority` and `Host` name the same valid host. Either may be missing.
    private static boolean hasOneHost(Http2Headers head) {
        CharSequence authority = head.authority();
        List<CharSequence> hosts = head.getAll(HttpHeaderNames.HOST);
        if (hosts.isEmpty()) {
            return authority != null && UriHost.isHostAndPort(authority);
        }
        CharSequence host = hosts.getFirst();
        return hosts.size() == 1
                && UriHost.areSame(authority == null ? host : authority, host, String.valueOf(head.scheme()));
    }
}
