package petstore.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// An HTTP/1.1 client that sends exact bytes.
public final class RawClient implements AutoCloseable {

    /// A response as received, with header names in lower case.
    public record Response(int status, Map<String, List<String>> headers, String body) {
    }

    private static final int PATIENCE_MS = 30_000;

    private final Socket socket;
    private final InputStream in;

    public RawClient(int port) throws IOException {
        this(port, 0);
    }

    /// @param receiveBufferBytes the receive buffer of the socket; 0 for the default
    public RawClient(int port, int receiveBufferBytes) throws IOException {
        this(connected(port, receiveBufferBytes));
    }

    /// @param connected e.g. a socket of TLS
    public RawClient(Socket connected) throws IOException {
        socket = connected;
        socket.setSoTimeout(PATIENCE_MS);
        in = socket.getInputStream();
    }

    private static Socket connected(int port, int receiveBufferBytes) throws IOException {
        Socket socket = new Socket();
        if (receiveBufferBytes > 0) {
            socket.setReceiveBufferSize(receiveBufferBytes);
        }
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MS);
        return socket;
    }

    /// Sends the characters as ISO-8859-1, so that each is one byte.
    public RawClient send(String bytes) throws IOException {
        return send(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    public RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /// Waits up to 30 seconds for the next response. Returns it; absent if the server closes the connection instead.
    public Optional<Response> response() throws IOException {
        return response("GET");
    }

    /// As [#response()], to a request with this method: a response to HEAD has no body.
    public Optional<Response> response(String method) throws IOException {
        Optional<String> statusLine = line();
        if (statusLine.isEmpty()) {
            return Optional.empty();
        }
        if (!statusLine.get().matches("HTTP/1\\.[01] [1-5][0-9][0-9] .*")) {
            throw new AssertionError("invalid status line: " + statusLine.get());
        }
        int status = Integer.parseInt(statusLine.get().split(" ", 3)[1]);
        Map<String, List<String>> headers = new TreeMap<>();
        for (String line = line().orElse("cut off"); !line.isEmpty(); line = line().orElse("cut off")) {
            int colon = line.indexOf(':');
            if (colon < 0) {
                throw new AssertionError("invalid header field: " + line);
            }
            headers.computeIfAbsent(line.substring(0, colon).toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
                    .add(line.substring(colon + 1).strip());
        }
        int length = method.equals("HEAD")
                ? 0
                : Integer.parseInt(headers.getOrDefault("content-length", List.of("0")).getFirst());
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new AssertionError("the body has " + body.length + " bytes instead of " + length);
        }
        return Optional.of(new Response(status, headers, new String(body, StandardCharsets.UTF_8)));
    }

    /// Waits up to 30 seconds until the server closes the connection, and ignores all bytes before. Returns false if it stays open.
    public boolean isClosedByServer() throws IOException {
        try {
            in.transferTo(OutputStream.nullOutputStream());
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true;
        }
    }

    /// Returns true if the server sends nothing for this time and keeps the connection open.
    public boolean isSilentFor(Duration time) throws IOException {
        socket.setSoTimeout((int) time.toMillis());
        try {
            in.read();
            return false;
        } catch (SocketTimeoutException e) {
            return true;
        } catch (SocketException e) {
            return false;
        } finally {
            socket.setSoTimeout(PATIENCE_MS);
        }
    }

    private Optional<String> line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        try {
            for (int b = in.read(); b != '\n'; b = in.read()) {
                if (b < 0) {
                    return Optional.empty();
                }
                if (b != '\r') {
                    line.write(b);
                }
            }
        } catch (SocketException e) {
            return Optional.empty();
        }
        return Optional.of(line.toString(StandardCharsets.ISO_8859_1));
    }

    public Socket socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
