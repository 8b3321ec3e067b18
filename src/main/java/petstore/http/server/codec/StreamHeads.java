package petstore.http.server.codec;

import java.util.function.Consumer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/// Tells when a head of HTTP/2 arrives in parts, by the headers of its frames; the codec tells only of whole heads.
/// Source: RFC 9113 sections 3.4, 4.1, 6.2 and 6.10.
public final class StreamHeads extends ChannelInboundHandlerAdapter {

    private static final int PREFACE_BYTES = 24;
    private static final int FRAME_HEADER_BYTES = 9;
    /// Length, type and flags. The stream follows.
    private static final int READ_BYTES = 5;
    private static final int HEADERS = 1;
    private static final int CONTINUATION = 9;
    private static final int END_HEADERS = 4;

    private final Consumer<Boolean> receiving;
    /// The number of bytes of the preface or a payload that have not arrived.
    private int missing = PREFACE_BYTES;
    private int headerBytes;
    /// Length, type and flags of the last frame.
    private long header;
    private boolean isReceiving;

    /// @param receiving gets true if a head has arrived in part
    public StreamHeads(Consumer<Boolean> receiving) {
        this.receiving = receiving;
    }

    @Override
    public void channelRead(ChannelHandlerContext here, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        for (int at = bytes.readerIndex(); at < bytes.writerIndex();) {
            if (missing == 0) {
                readHeader(bytes.getUnsignedByte(at));
                at++;
            } else {
                int skipped = Math.min(missing, bytes.writerIndex() - at);
                missing -= skipped;
                at += skipped;
            }
            if (missing == 0 && headerBytes == 0 && (header & END_HEADERS) != 0) {
                isReceiving = false;
            }
        }
        here.fireChannelRead(message);
        receiving.accept(isReceiving);
    }

    private void readHeader(int next) {
        if (headerBytes < READ_BYTES) {
            header = headerBytes == 0 ? next : (header << Byte.SIZE) | next;
        }
        headerBytes = (headerBytes + 1) % FRAME_HEADER_BYTES;
        if (headerBytes == 0) {
            missing = (int) (header >> (2 * Byte.SIZE));
            int type = (int) (header >> Byte.SIZE) & 0xFF;
            isReceiving |= type == HEADERS || type == CONTINUATION;
        }
    }
}
