package petstore.http.server;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslHandler;
import petstore.Failure.Kind;
import petstore.http.message.Api;
import petstore.http.message.Errors;
import petstore.http.message.HeaderFields;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;
import petstore.http.server.codec.HeadCheck;
import petstore.http.server.codec.RequestDecoder;
import petstore.http.server.codec.ResponseEncoder;
import petstore.http.server.codec.StreamCodec;
import petstore.http.server.codec.StreamHeadCheck;
import petstore.http.server.tls.Tls;

/// The handlers of a connection, in the order in which they see its input. They see its output in the opposite order.
@Sharable
final class Pipeline extends ChannelInitializer<Channel> {

    /// Header blocks up to this size are read, and refused above [RequestDecoder#MOST_HEAD_BYTES]. Larger ones are left to Netty.
    private static final int READ_HEAD_BYTES = 40 * 1024;
    private static final int MOST_STREAMS = 100;

    private static final ChannelHandler HTTP_1_RESPONSES = new ResponseEncoder.OfHttp1();
    private static final ChannelHandler STREAM_RESPONSES = new ResponseEncoder.OfStream();

    /// Refuses plain HTTP at a TLS port, without the headers of the API: `Strict-Transport-Security` is for TLS only (RFC 6797).
    private static final class WithoutTls implements Api {

        private static final Decision REFUSAL = new Decision(NO_ROUTE, NO_KEY, List.of(), new RespondLast(
                Errors.response(Kind.INVALID_REQUEST, "this port speaks HTTPS; use an https URL")));

        @Override
        public Decision decide(RequestHead head) {
            return REFUSAL;
        }

        @Override
        public Decision refuse(RequestHead head, Response refusal) {
            return REFUSAL;
        }
    }

    private final Map<EventLoop, Connections> connections;
    private final ListenerContext listener;
    private final ListenerContext withoutTls;
    private final HttpHeaders keptNames = new DefaultHttpHeaders();
    private final Optional<Tls> tls;

    /// @param tls absent for plain HTTP
    Pipeline(Map<EventLoop, Connections> connections, ListenerContext listener, Optional<Tls> tls) {
        this.connections = connections;
        this.listener = listener;
        this.withoutTls = listener.with(new WithoutTls());
        this.tls = tls;
        HeaderFields.READ.forEach(name -> keptNames.set(name, ""));
        keptNames.set(listener.proxies().field(), "");
    }

    @Override
    protected void initChannel(Channel channel) {
        Connections ofLoop = Objects.requireNonNull(connections.get(channel.eventLoop()));
        Connection connection = ofLoop.add(channel);
        ChannelPipeline pipeline = channel.pipeline();
        // The connection sees the bytes of the handshake, too.
        pipeline.addLast(ofLoop.flushes(), connection);
        if (tls.isPresent()) {
            // Replaces itself by the stock TLS handler, or by the handlers that refuse plain HTTP.
            pipeline.addLast(tls.get().handler(() -> {
                pipeline.remove(ApplicationProtocolNegotiationHandler.class);
                http1(pipeline, connection, withoutTls);
            }));
            // Adds the handlers of the protocol that the client chooses in the handshake.
            pipeline.addLast(chosen(connection));
        } else {
            http1(pipeline, connection, listener);
        }
    }

    private void http1(ChannelPipeline pipeline, Connection connection, ListenerContext context) {
        connection.opened(null);
        RequestDecoder decoder = new RequestDecoder(connection::headBegan);
        // Input: bytes to a request and its contents, the request to a Head, both to an Exchange. Output: a Response to bytes.
        pipeline.addLast(decoder, new HeadCheck(keptNames::contains), HTTP_1_RESPONSES,
                new RequestHandler(connection, context, decoder));
    }

    private void http2(ChannelPipeline pipeline, Connection connection) {
        Http2Settings settings = new Http2Settings().maxConcurrentStreams(MOST_STREAMS)
                .maxHeaderListSize(READ_HEAD_BYTES);
        // Frames, compression of heads, flow control, limits of floods.
        pipeline.addLast(new StreamCodec(connection::setReceivingHead).initialSettings(settings).validateHeaders(true)
                .validateRequiredPseudoHeaders(true).gracefulShutdownTimeoutMillis(0).build());
        // Makes each stream a channel with a pipeline of its own.
        pipeline.addLast(new Http2MultiplexHandler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel stream) {
                // Netty would reset a stream that the client has reset.
                stream.config().setAutoClose(false);
                stream.pipeline().addLast(new StreamHeadCheck(keptNames::contains), STREAM_RESPONSES,
                        new RequestHandler(connection, listener, null));
            }
        }));
        StreamsShutdown shutdown = new StreamsShutdown(connection, pipeline.channel());
        pipeline.addLast(shutdown);
        connection.opened(shutdown);
        if (listener.stopping().get()) {
            connection.announceStop();
        }
    }

    private ApplicationProtocolNegotiationHandler chosen(Connection connection) {
        return new ApplicationProtocolNegotiationHandler(ApplicationProtocolNames.HTTP_1_1) {
            @Override
            protected void configurePipeline(ChannelHandlerContext context, String protocol) {
                var _ = context.pipeline().get(SslHandler.class).sslCloseFuture().addListener(ended -> {
                    if (ended.isSuccess() && !connection.closer().isClosing()) {
                        connection.inputEnded();
                    }
                });
                if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                    http2(context.pipeline(), connection);
                } else {
                    http1(context.pipeline(), connection, listener);
                }
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                connection.closer().close();
            }
        };
    }
}
