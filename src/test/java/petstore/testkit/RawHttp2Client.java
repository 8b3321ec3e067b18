package petstore.testkit;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;

/// A client of HTTP/2 that sends exact frames.
public final class RawHttp2Client implements AutoCloseable {

    public static final int DATA = 0;
    public static final int HEADERS = 1;
    public static final int RST_STREAM = 3;
    public static final int SETTINGS = 4;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;
    public static final int END_STREAM = 1;
    static final int END_HEADERS = 4;
    static final int PRIORITY = 32;

    /// One frame, as it came.
    ///
    /// @param status the status in HEADERS; -1 in any other frame
    public record Frame(int type, int flags, int stream, ByteBuffer payload, int status) {

        /// The error code of RST_STREAM or GOAWAY.
        public int errorCode() {
            return payload.getInt(type == GOAWAY ? 4 : 0);
        }
    }

    private final SSLSocket socket;
    private final DataInputStream in;
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder();

    /// Finishes the handshake, and sends nothing behind it.
    public RawHttp2Client(int port) throws IOException {
        socket = (SSLSocket) TestCertificate.trustingAll().getSocketFactory().createSocket("127.0.0.1", port);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[]{"h2"});
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(30_000);
        socket.startHandshake();
        in = new DataInputStream(socket.getInputStream());
    }

    /// Sends the preface of a connection.
    ///
    /// @param settings identifiers and values, as SETTINGS has them
    public RawHttp2Client begin(byte... settings) throws IOException {
        socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return send(SETTINGS, 0, 0, settings);
    }

    public RawHttp2Client send(int type, int flags, int stream, byte... payload) throws IOException {
        return send(List.of(frame(type, flags, stream, payload)));
    }

    /// Sends frames in as few records of TLS as there can be, so that the server reads them before it sends anything.
    public RawHttp2Client send(List<byte[]> frames) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        frames.forEach(all::writeBytes);
        socket.getOutputStream().write(all.toByteArray());
        socket.getOutputStream().flush();
        return this;
    }

    /// Sends the head of a request.
    ///
    /// @param headers names and values in turn
    public RawHttp2Client request(int stream, boolean end, String... headers) throws IOException {
        return send(List.of(head(stream, end, headers)));
    }

    public static byte[] head(int stream, boolean end, String... headers) {
        return frame(HEADERS, END_HEADERS | (end ? END_STREAM : 0), stream, block(headers));
    }

    public static byte[] frame(int type, int flags, int stream, byte... payload) {
        return ByteBuffer.allocate(9 + payload.length).put((byte) (payload.length >> 16))
                .putShort((short) payload.length).put((byte) type).put((byte) flags).putInt(stream).put(payload)
                .array();
    }

    private static byte[] block(String... headers) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        for (int i = 0; i < headers.length; i += 2) {
            block.write(0);
            string(block, headers[i]);
            string(block, headers[i + 1]);
        }
        return block.toByteArray();
    }

    private static void string(ByteArrayOutputStream block, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        if (bytes.length < 127) {
            block.write(bytes.length);
        } else {
            block.write(127);
            int rest = bytes.length - 127;
            for (; rest >= 128; rest >>= 7) {
                block.write((rest & 127) | 128);
            }
            block.write(rest);
        }
        block.writeBytes(bytes);
    }

    /// The next frame of this type, those between dropped; absent when the server closes the connection before.
    public Optional<Frame> await(int type) throws IOException {
        try {
            while (true) {
                int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
                int read = in.readUnsignedByte();
                int flags = in.readUnsignedByte();
                int stream = in.readInt();
                byte[] payload = in.readNBytes(length);
                // Every header block must be decoded: the next may refer to it.
                int status = read == HEADERS ? status(flags, stream, payload) : -1;
                if (read == type) {
                    return Optional.of(new Frame(read, flags, stream, ByteBuffer.wrap(payload), status));
                }
            }
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        } catch (EOFException | SocketException | SSLException e) {
            return Optional.empty();
        }
    }

    private int status(int flags, int stream, byte[] payload) throws Http2Exception {
        int priority = (flags & PRIORITY) != 0 ? 5 : 0;
        return Integer.parseInt(String.valueOf(decoder
                .decodeHeaders(stream, Unpooled.wrappedBuffer(payload, priority, payload.length - priority))
                .status()));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
