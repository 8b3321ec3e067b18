package petstore.testkit;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;

/// An HTTP/2 client that sends exact frames.
public final class RawHttp2Client implements AutoCloseable {

    public static final int DATA = 0;
    public static final int HEADERS = 1;
    public static final int PRIORITY_FRAME = 2;
    public static final int RST_STREAM = 3;
    public static final int SETTINGS = 4;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;
    public static final int CONTINUATION = 9;
    public static final int END_STREAM = 1;
    public static final int ACK = 1;
    public static final int END_HEADERS = 4;
    private static final int MOST_FRAME_BYTES = 16_384;
    static final int PRIORITY = 32;

    /// The fields of a request without a body.
    @SuppressWarnings("MutablePublicArray") // No test changes it.
    public static final String[] LIVEZ = {":method", "GET", ":scheme", "https", ":path", "/livez", ":authority", "x"};
    /// The fields of createPet.
    @SuppressWarnings("MutablePublicArray") // No test changes it.
    public static final String[] POST = {":method", "POST", ":scheme", "https", ":path", "/v1/pets", ":authority",
            "localhost", "authorization", "Bearer " + TestService.KEY, "content-type", "application/json"};

    /// A frame as received.
    ///
    /// @param status the status code in HEADERS; -1 for other frames
    public record Frame(int type, int flags, int stream, ByteBuffer payload, int status) {

        /// Returns the last stream of GOAWAY.
        public int lastStream() {
            return payload.getInt(0);
        }

        public boolean isLast() {
            return (flags & END_STREAM) != 0;
        }

        /// Returns the error code of RST_STREAM or GOAWAY.
        public int errorCode() {
            return payload.getInt(type == GOAWAY ? 4 : 0);
        }
    }

    private final SSLSocket socket;
    private final DataInputStream in;
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder();

    /// Completes the TLS handshake, and sends nothing after it.
    public RawHttp2Client(int port) throws IOException {
        this(port, 0);
    }

    /// @param receiveBufferBytes the receive buffer of the socket; 0 for the default
    public RawHttp2Client(int port, int receiveBufferBytes) throws IOException {
        socket = (SSLSocket) TestCertificate.trustingAll().getSocketFactory().createSocket();
        if (receiveBufferBytes > 0) {
            socket.setReceiveBufferSize(receiveBufferBytes);
        }
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[]{"h2"});
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(30_000);
        socket.startHandshake();
        in = new DataInputStream(socket.getInputStream());
    }

    /// Sends the connection preface.
    ///
    /// @param settings the payload of SETTINGS: identifiers and values
    public RawHttp2Client begin(byte... settings) throws IOException {
        socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return send(SETTINGS, 0, 0, settings);
    }

    public RawHttp2Client send(int type, int flags, int stream, byte... payload) throws IOException {
        return send(List.of(frame(type, flags, stream, payload)));
    }

    /// Sends frames in as few TLS records as possible, so that the server reads all of them before it sends anything.
    public RawHttp2Client send(List<byte[]> frames) throws IOException {
        socket.getOutputStream().write(joined(frames));
        socket.getOutputStream().flush();
        return this;
    }

    private static byte[] joined(List<byte[]> frames) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        frames.forEach(all::writeBytes);
        return all.toByteArray();
    }

    /// Sends HEADERS of a request.
    ///
    /// @param headers names and values in turn
    public RawHttp2Client request(int stream, boolean end, String... headers) throws IOException {
        return send(List.of(head(stream, end, headers)));
    }

    /// Returns HEADERS, followed by CONTINUATION if they are too long for one frame.
    public static byte[] head(int stream, boolean end, String... headers) {
        byte[] block = block(headers);
        List<byte[]> frames = new ArrayList<>();
        for (int from = 0; from < block.length; from += MOST_FRAME_BYTES) {
            int to = Math.min(from + MOST_FRAME_BYTES, block.length);
            int flags = (to == block.length ? END_HEADERS : 0) | (from == 0 && end ? END_STREAM : 0);
            frames.add(frame(from == 0 ? HEADERS : CONTINUATION, flags, stream, Arrays.copyOfRange(block, from, to)));
        }
        return joined(frames);
    }

    /// Returns fields and further ones behind them.
    public static String[] and(String[] fields, String... more) {
        return Stream.concat(Stream.of(fields), Stream.of(more)).toArray(String[]::new);
    }

    public static byte[] frame(int type, int flags, int stream, byte... payload) {
        return ByteBuffer.allocate(9 + payload.length).put((byte) (payload.length >> 16))
                .putShort((short) payload.length).put((byte) type).put((byte) flags).putInt(stream).put(payload)
                .array();
    }

    public static byte[] block(String... headers) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        for (int i = 0; i < headers.length; i += 2) {
            block.write(0);
            writeString(block, headers[i]);
            writeString(block, headers[i + 1]);
        }
        return block.toByteArray();
    }

    private static void writeString(ByteArrayOutputStream block, String text) {
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

    /// Returns the next frame of these types, and skips the frames before it; absent if the server closes the connection first.
    public Optional<Frame> await(int... types) throws IOException {
        try {
            while (true) {
                int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
                int receivedType = in.readUnsignedByte();
                int flags = in.readUnsignedByte();
                int stream = in.readInt();
                byte[] payload = in.readNBytes(length);
                // Every header block must be decoded, because the next block may refer to it.
                int status = receivedType == HEADERS ? status(flags, stream, payload) : -1;
                if (IntStream.of(types).anyMatch(type -> type == receivedType)) {
                    return Optional.of(new Frame(receivedType, flags, stream, ByteBuffer.wrap(payload), status));
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
