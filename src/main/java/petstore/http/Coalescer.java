package petstore.http;

import java.nio.channels.ClosedChannelException;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import org.jspecify.annotations.Nullable;

/// Joins two buffers that are written one after the other, which are mostly the head of an answer and its body: to hand the system
/// one of them costs less, and the body is copied out of the heap anyway. One for each connection.
final class Coalescer extends ChannelOutboundHandlerAdapter {

    /// What waits for the next buffer, until that comes or all is sent.
    private record Held(ByteBuf buffer, ChannelPromise promise) {
    }

    private @Nullable Held held;

    /// Joins what the encoder of a connection makes of an answer.
    static void install(HttpConnection connection) {
        ChannelPipeline pipeline = ((HttpServerConnection) connection).channelHandlerContext().pipeline();
        pipeline.addBefore(pipeline.context(HttpResponseEncoder.class).name(), null, new Coalescer());
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        Held first = take();
        if (first == null && message instanceof ByteBuf buffer) {
            held = new Held(buffer, promise);
        } else if (first != null && message instanceof ByteBuf second) {
            var _ = context.write(join(context, first.buffer(), second), promise);
            first.promise().trySuccess();
        } else {
            writeAlone(context, first);
            var _ = context.write(message, promise);
        }
    }

    /// What waits, and waits no more.
    private @Nullable Held take() {
        Held taken = held;
        held = null;
        return taken;
    }

    /// Takes both buffers, of which the pages in memory may have a part.
    private static ByteBuf join(ChannelHandlerContext context, ByteBuf first, ByteBuf second) {
        try {
            return context.alloc().directBuffer(first.readableBytes() + second.readableBytes())
                    .writeBytes(first).writeBytes(second);
        } finally {
            first.release();
            second.release();
        }
    }

    private static void writeAlone(ChannelHandlerContext context, @Nullable Held alone) {
        if (alone != null) {
            var _ = context.write(alone.buffer(), alone.promise());
        }
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        writeAlone(context, take());
        context.flush();
    }

    /// The connection has ended.
    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        Held unsent = take();
        if (unsent != null) {
            unsent.buffer().release();
            unsent.promise().tryFailure(new ClosedChannelException());
        }
    }
}
