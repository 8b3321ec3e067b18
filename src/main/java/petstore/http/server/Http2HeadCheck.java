package petstore.http.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValidationUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.AsciiString;
import io.vertx.core.http.HttpServerRequest;
import petstore.Failure.Kind;
import petstore.http.message.Errors;
import petstore.http.message.RequestTarget;
import petstore.http.message.Response;
import petstore.http.message.UriHost;

/// Checks the parts of an HTTP/2 head that Vert.x does not check, or checks wrongly. One for each connection.
///
/// A stream with an invalid method is reset; Vert.x would close the connection. A valid authority is replaced by a name that Vert.x can
/// parse. An invalid authority is removed, and [#refusal] refuses the request.
/// Source: RFC 9110 section 9.1, RFC 9113 sections 8.1.1 and 8.3.1.
final class Http2HeadCheck extends Http2FrameListenerDecorator {

    private static final AsciiString PARSEABLE = AsciiString.cached("petstore");

    private final Http2Connection connection;
    /// Marks the streams whose head Netty has read.
    private final Http2Connection.PropertyKey read;

    /// @param tooLong called for a header block that is too long, which Netty refuses by itself
    Http2HeadCheck(Http2ConnectionHandler http2, Runnable tooLong) {
        super(http2.decoder().frameListener());
        connection = http2.connection();
        read = connection.newKey();
        connection.addListener(new Http2ConnectionAdapter() {
            @Override
            public void onStreamClosed(Http2Stream stream) {
                if (stream.isHeadersSent() && stream.getProperty(read) == null) {
                    tooLong.run();
                }
            }
        });
    }

    /// Returns the response to a request that is refused; absent if its head is valid.
    static Optional<Response> refusal(HttpServerRequest request, int maxTargetBytes) {
        String target = String.valueOf(request.uri());
        if (target.length() > maxTargetBytes) {
            return Optional.of(Errors.response(414, Kind.INVALID_REQUEST, "the request target is too long"));
        }
        List<String> violations = new ArrayList<>(0);
        if (!RequestTarget.isPath(request.method().name(), target)) {
            violations.add("the request target must be a path, in visible ASCII characters");
        }
        if (request.authority() == null) {
            violations.add("there must be one :authority or Host field, a host with or without a port");
        }
        return violations.isEmpty()
                ? Optional.empty()
                : Optional.of(Errors.response(Kind.INVALID_REQUEST, String.join("; ", violations)));
    }

    /// Checks the head of a request. Trailers have no method; Vert.x resets the stream of a request without a method.
    @Override
    public void onHeadersRead(ChannelHandlerContext context, int stream, Http2Headers headers, int dependency,
            short weight, boolean exclusive, int padding, boolean last) throws Http2Exception {
        connection.stream(stream).setProperty(read, true);
        CharSequence method = headers.method();
        if (method != null) {
            if (method.isEmpty() || HttpHeaderValidationUtil.validateToken(method) != -1) {
                throw Http2Exception.streamError(stream, Http2Error.PROTOCOL_ERROR, "the method is no token");
            }
            if (hasOneHost(headers)) {
                headers.authority(PARSEABLE);
            } else {
                headers.remove(Http2Headers.PseudoHeaderName.AUTHORITY.value());
            }
            headers.remove(HttpHeaderNames.HOST);
        }
        super.onHeadersRead(context, stream, headers, dependency, weight, exclusive, padding, last);
    }

    /// Returns true if `:authority` and `Host` name the same valid host. Either may be missing.
    private static boolean hasOneHost(Http2Headers headers) {
        CharSequence authority = headers.authority();
        List<CharSequence> hosts = headers.getAll(HttpHeaderNames.HOST);
        if (hosts.isEmpty()) {
            return authority != null && UriHost.isHostAndPort(authority);
        }
        CharSequence host = hosts.getFirst();
        return hosts.size() == 1
                && UriHost.areSame(authority == null ? host : authority, host, String.valueOf(headers.scheme()));
    }
}
