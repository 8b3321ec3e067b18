package petstore.testkit;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// A failure of a connection to PostgreSQL before its first statement: `close`, `refuse`, `reset`, `silence`, `silence after login`,
/// `close in TLS`, `HTTP` for a server of another protocol, else an error of the server, e.g. `57P03 starting up`.
public record SocketFault(String text) {

    private static final int TLS_REQUEST_BYTES = 8;
    private static final int SQLSTATE_LENGTH = 5;

    /// Makes the connection of a client fail.
    void meet(Socket client) throws IOException {
        switch (text) {
            case "silence" -> {
                // The client waits until the socket is closed.
            }
            case "close", "refuse" -> client.close();
            case "reset" -> reset(client);
            default -> afterTlsRequest(client, new DataInputStream(client.getInputStream()), client.getOutputStream());
        }
    }

    private static void reset(Socket client) throws IOException {
        client.setSoLinger(true, 0);
        client.close();
    }

    private void afterTlsRequest(Socket client, DataInputStream in, OutputStream out) throws IOException {
        in.skipNBytes(TLS_REQUEST_BYTES);
        if (text.equals("close in TLS")) {
            out.write('S');
            in.readByte();
            client.close();
            return;
        }
        out.write('N');
        in.skipNBytes(in.readInt() - Integer.BYTES);
        switch (text) {
            case "silence after login" -> {
                // As a pooler that queues the client.
            }
            case "HTTP" -> out.write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            default -> {
                byte[] fields = ("SFATAL\0C" + text.substring(0, SQLSTATE_LENGTH) + "\0M"
                        + text.substring(SQLSTATE_LENGTH + 1) + "\0\0").getBytes(StandardCharsets.UTF_8);
                out.write(ByteBuffer.allocate(1 + Integer.BYTES + fields.length).put((byte) 'E')
                        .putInt(Integer.BYTES + fields.length).put(fields).array());
            }
        }
    }
}
