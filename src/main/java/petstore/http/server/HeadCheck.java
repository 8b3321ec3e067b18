package petstore.http.server;

import java.util.ArrayList;
import java.util.List;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;
import petstore.Failure;
import petstore.Failure.Kind;
import petstore.http.message.Errors;
import petstore.http.message.RequestTarget;
import petstore.http.message.Response;
import petstore.http.message.UriHost;

/// Refuses heads that HTTP/1.1 forbids and the decoder accepts, and simplifies the others. One for each connection.
///
/// A refused request continues as a request that could not be decoded. Its cause is a [Failure] that names every violation. The
/// input after it is dropped. Source: RFC 9112 sections 2.3, 3.2, 5.1, 6.1 and 9.6, RFC 9110 section 10.1.1.
final class HeadCheck extends ChannelInboundHandlerAdapter {

    private boolean refused;
    /// The last valid `Host`, because clients mostly repeat it.
    private @Nullable String validHost;

    /// Returns the response to a request that could not be decoded.
    static Response refusal(@Nullable Throwable cause) {
        return switch (cause) {
            case Failure failure -> Errors.response(failure);
            case TooLongHttpLineException _ ->
                Errors.response(414, Kind.INVALID_REQUEST, "the request line is too long");
            case TooLongHttpHeaderException _ ->
                Errors.response(431, Kind.INVALID_REQUEST, "the header block is too long");
            case null, default -> Errors.response(Kind.INVALID_REQUEST, "the request is not well-formed HTTP");
        };
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (refused) {
            ReferenceCountUtil.release(message);
            return;
        }
        if (message instanceof HttpRequest request && request.decoderResult().isSuccess()) {
            List<String> violations = violations(request);
            if (!violations.isEmpty()) {
                refused = true;
                request.setProtocolVersion(HttpVersion.HTTP_1_1);
                request.setDecoderResult(DecoderResult
                        .failure(new Failure(Kind.INVALID_REQUEST, String.join("; ", violations))));
            } else {
                simplify(request);
            }
        }
        context.fireChannelRead(message);
    }

    /// Removes the parts of a valid head that the API and Vert.x do not expect.
    private static void simplify(HttpRequest request) {
        RequestTarget.find(request.method().name(), request.uri()).ifPresent(request::setUri);
        if (request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
            // HTTP/1.0 ignores it.
            request.headers().remove(HttpHeaderNames.EXPECT);
        }
        if (hasClose(request.headers().getAll(HttpHeaderNames.CONNECTION))) {
            // Vert.x recognises `close` only if it is the only option.
            request.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
    }

    @SuppressWarnings("ReferenceEquality") // HTTP/01.1 equals HTTP/1.1; the decoder uses the constants for the exact spelling.
    private List<String> violations(HttpRequest request) {
        List<String> violations = new ArrayList<>(0);
        if (request.protocolVersion() != HttpVersion.HTTP_1_1 && request.protocolVersion() != HttpVersion.HTTP_1_0) {
            violations.add("the protocol must be HTTP/1.1 or HTTP/1.0");
        }
        if (RequestTarget.find(request.method().name(), request.uri()).isEmpty()) {
            violations.add("the request target must be a path or an http URL, in visible ASCII characters");
        }
        if (!isHost(request)) {
            violations.add("there must be one Host field, a host with or without a port");
        }
        if (request.headers().contains("")) {
            violations.add("every header field must have a name");
        }
        String coding = request.headers().get(HttpHeaderNames.TRANSFER_ENCODING);
        if (coding != null && !coding.equalsIgnoreCase("chunked")) {
            violations.add("the only transfer coding is chunked");
        }
        return violations;
    }

    // The headers' own `containsValue` would accept a prefix of `close`, e.g. `c`.
    private static boolean hasClose(List<String> fields) {
        for (String field : fields) {
            for (String option : field.split(",", -1)) {
                if (option.strip().equalsIgnoreCase("close")) {
                    return true;
                }
            }
        }
        return false;
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
