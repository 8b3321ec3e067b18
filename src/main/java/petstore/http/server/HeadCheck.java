package petstore.http.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerConnection;
import org.jspecify.annotations.Nullable;
import petstore.Failure;
import petstore.Failure.Kind;
import petstore.http.message.Errors;
import petstore.http.message.Response;
import petstore.http.message.UriHost;

/// Refuses what HTTP/1.1 does not allow in the head of a request although the decoder does, and sees every way to say that the
/// connection is to end with the answer. One for each connection.
///
/// A refused request goes on as one that could not be decoded; its [Failure] is the cause and names every violation. Whatever
/// comes after it is dropped. Source: RFC 9112 sections 2.3, 3.2, 5.1, 6.1 and 9.6.
final class HeadCheck extends ChannelInboundHandlerAdapter {

    private boolean refused;
    /// The last good `Host`: it mostly stays the same.
    private @Nullable String goodHost;

    private HeadCheck() {
    }

    /// Has every request of a connection checked.
    static void install(HttpConnection connection) {
        ChannelHandlerContext vertx = ((HttpServerConnection) connection).channelHandlerContext();
        vertx.pipeline().addBefore(vertx.name(), null, new HeadCheck());
    }

    /// Why a request of HTTP/2 is refused, whose form Vert.x and [Http2HeadCheck] have checked; absent when it is not.
    static Optional<Response> refusal(HttpServerRequest request, int maxTargetBytes) {
        String target = String.valueOf(request.uri());
        if (target.length() > maxTargetBytes) {
            return Optional.of(Errors.response(414, Kind.INVALID_REQUEST, "the request target is too long"));
        }
        List<String> violations = new ArrayList<>(0);
        if (!isVisible(target) || !(target.startsWith("/")
                || (target.equals("*") && request.method().name().equals("OPTIONS")))) {
            violations.add("the request target must be a path, in visible ASCII characters");
        }
        if (request.authority() == null) {
            violations.add("there must be one :authority or Host field, a host with or without a port");
        }
        return violations.isEmpty()
                ? Optional.empty()
                : Optional.of(Errors.response(Kind.INVALID_REQUEST, String.join("; ", violations)));
    }

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
            } else if (wantsClose(request)) {
                // Vert.x sees it only where nothing else stands in the field.
                request.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            }
        }
        context.fireChannelRead(message);
    }

    private List<String> violations(HttpRequest request) {
        List<String> violations = new ArrayList<>(0);
        if (!isVersion(request.protocolVersion())) {
            violations.add("the protocol must be HTTP/1.1 or HTTP/1.0");
        }
        if (!isTarget(request.method(), request.uri())) {
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

    /// Whether the version was written as the standard has it: the decoder gives the two constants for no other spelling.
    @SuppressWarnings("ReferenceEquality") // Equality would take HTTP/01.1 for HTTP/1.1.
    private static boolean isVersion(HttpVersion version) {
        return version == HttpVersion.HTTP_1_1 || version == HttpVersion.HTTP_1_0;
    }

    private static boolean isTarget(HttpMethod method, String target) {
        return isVisible(target) && (target.startsWith("/") || isAbsolute(target)
                || (target.equals("*") && method.equals(HttpMethod.OPTIONS)));
    }

    /// Whether a target is the http URL that a client sends to a proxy; an origin server must understand it too.
    private static boolean isAbsolute(String target) {
        String http = "http://";
        String https = "https://";
        int host = target.regionMatches(true, 0, http, 0, http.length())
                ? http.length()
                : target.regionMatches(true, 0, https, 0, https.length()) ? https.length() : target.length();
        int path = target.indexOf('/', host);
        int end = path < 0 ? target.length() : path;
        return host < end && target.charAt(host) != ':' && UriHost.isHostAndPort(target.substring(host, end));
    }

    private static boolean isVisible(String target) {
        for (int i = 0; i < target.length(); i++) {
            if (target.charAt(i) <= ' ' || target.charAt(i) > '~') {
                return false;
            }
        }
        return true;
    }

    /// Whether `close` is among the options of a `Connection` field. The headers' own `containsValue` takes `c` for it, too.
    private static boolean wantsClose(HttpRequest request) {
        for (String options : request.headers().getAll(HttpHeaderNames.CONNECTION)) {
            for (String option : options.split(",", -1)) {
                if (HttpHeaderValues.CLOSE.contentEqualsIgnoreCase(option.strip())) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isHost(HttpRequest request) {
        List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
        return switch (hosts.size()) {
            case 0 -> request.protocolVersion().equals(HttpVersion.HTTP_1_0);
            case 1 -> isHost(hosts.getFirst());
            default -> false;
        };
    }

    private boolean isHost(String text) {
        if (!text.equals(goodHost) && !UriHost.isHostAndPort(text)) {
            return false;
        }
        goodHost = text;
        return true;
    }
}
