package petstore.http.server.codec;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import org.jspecify.annotations.Nullable;
import petstore.Failure.Kind;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.HeaderFields;
import petstore.http.message.RequestTarget;
import petstore.http.message.Response;
import petstore.http.message.UriHost;

/// Refuses heads that HTTP/1.1 forbids and the decoder accepts, and passes each head on as a [Head]. One for each connection.
///
/// A refusal names every violation. Source: RFC 9112 sections 2.3, 3.2, 5.1, 6.1 and 9.6, RFC 9110 section 10.1.1.
public final class HeadCheck extends SimpleChannelInboundHandler<HttpRequest> {

    /// A client of HTTP/1.0 that asks for a further request expects it.
    private static final Optional<Header> CONFIRMATION = Optional.of(Header.of("Connection", "keep-alive"));

    private final Predicate<CharSequence> isKept;
    /// The last valid `Host`, because clients mostly repeat it.
    private @Nullable String validHost;

    /// @param isKept returns true for the names of header fields that are kept
    public HeadCheck(Predicate<CharSequence> isKept) {
        this.isKept = isKept;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext connection, HttpRequest request) {
        connection.fireChannelRead(head(request));
    }

    private Head head(HttpRequest request) {
        String method = request.method().name();
        HttpHeaders fields = request.headers();
        Optional<String> target = RequestTarget.find(method, request.uri());
        Optional<Response> refusal = refusal(request, target);
        boolean isOld = request.protocolVersion().equals(HttpVersion.HTTP_1_0);
        if (isOld) {
            // HTTP/1.0 ignores it.
            fields.remove(HttpHeaderNames.EXPECT);
        }
        HeaderFields kept = new HeaderFields(isKept);
        fields.iteratorCharSequence().forEachRemaining(field -> kept.add(field.getKey(), field.getValue()));
        return new Head(method, target.orElse(request.uri()), kept,
                fields.contains(HttpHeaderNames.TRANSFER_ENCODING) || fields.contains(HttpHeaderNames.CONTENT_LENGTH),
                refusal.isPresent() || !HttpUtil.isKeepAlive(request), isOld ? CONFIRMATION : Optional.empty(),
                refusal);
    }

    private Optional<Response> refusal(HttpRequest request, Optional<String> target) {
        if (request.decoderResult().isFailure()) {
            return Optional.of(switch (request.decoderResult().cause()) {
                case TooLongHttpLineException _ ->
                    Errors.response(414, Kind.INVALID_REQUEST, "the request line is too long");
                case TooLongHttpHeaderException _ -> Head.TOO_LONG;
                default -> Errors.response(Kind.INVALID_REQUEST, "the request is not well-formed HTTP");
            });
        }
        List<String> violations = violations(request, target);
        return violations.isEmpty()
                ? Optional.empty()
                : Optional.of(Errors.response(Kind.INVALID_REQUEST, violations));
    }

    @SuppressWarnings("ReferenceEquality") // HTTP/01.1 equals HTTP/1.1; the decoder uses the constants for the exact spelling.
    private List<String> violations(HttpRequest request, Optional<String> target) {
        List<String> violations = new ArrayList<>(0);
        if (request.protocolVersion() != HttpVersion.HTTP_1_1 && request.protocolVersion() != HttpVersion.HTTP_1_0) {
            violations.add("the protocol must be HTTP/1.1 or HTTP/1.0");
        }
        if (target.isEmpty()) {
            violations.add("the request target must be a path or an http URL, in visible ASCII characters");
        }
        if (!isHost(request)) {
            violations.add("there must be one Host field, a host with or without a port");
        }
        // Of HTTP/1.0, the decoder takes the first one.
        if (request.protocolVersion() == HttpVersion.HTTP_1_0
                && request.headers().getAll(HttpHeaderNames.CONTENT_LENGTH).size() > 1) {
            violations.add("there must be at most one Content-Length field");
        }
        String coding = request.headers().get(HttpHeaderNames.TRANSFER_ENCODING);
        if (coding != null && !coding.equalsIgnoreCase("chunked")) {
            violations.add("the only transfer coding is chunked");
        }
        return violations;
    }

    private boolean isHost(HttpRequest request) {
        List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
        if (hosts.size() != 1) {
            return hosts.isEmpty() && request.protocolVersion().equals(HttpVersion.HTTP_1_0);
        }
        String host = hosts.getFirst();
        if (!host.equals(validHost) && !UriHost.isHostAndPort(host)) {
            return false;
        }
        validHost = host;
        return true;
    }
}
