import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/// A connection for requests and responses as bytes, one at a time.
final class RawHttp implements AutoCloseable {

    private static final int PATIENCE_MS = 10_000;
    private static final int LONGEST_RESPONSE = 256 * 1024;

    private final Socket socket;
    private final byte[] buffer = new byte[LONGEST_RESPONSE];

    RawHttp(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MS);
    }

    /// Returns the response to a request on a new connection.
    static byte[] once(int port, byte[] request) throws IOException {
        try (RawHttp connection = new RawHttp(port)) {
            return Arrays.copyOf(connection.buffer, connection.exchange(request));
        }
    }

    static int status(byte[] response) {
        return Integer.parseInt(new String(response, 9, 3, StandardCharsets.ISO_8859_1));
    }

    private int exchange(byte[] request) throws IOException {
        socket.getOutputStream().write(request);
        int filled = 0;
        int end = -1;
        while (end < 0 || filled < end) {
            int read = socket.getInputStream().read(buffer, filled, buffer.length - filled);
            if (read <= 0) {
                throw new EOFException("the response is too short or too long");
            }
            filled += read;
            if (end < 0) {
                end = end(filled);
            }
        }
        return end;
    }

    /// Returns the end of the response; -1 if its header block is incomplete.
    private int end(int filled) {
        for (int i = 3; i < filled; i++) {
            if (buffer[i] == '\n' && buffer[i - 1] == '\r' && buffer[i - 2] == '\n') {
                String head = new String(buffer, 0, i, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
                int length = head.indexOf("content-length: ") + "content-length: ".length();
                return i + 1 + Integer.parseInt(head.substring(length, head.indexOf('\r', length)));
            }
        }
        return -1;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
