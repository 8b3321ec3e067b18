package petstore.http.server.codec;

import java.util.List;

import petstore.http.message.Header;

/// A response to encode.
///
/// @param headers all header fields, in the order of sending
/// @param body empty for none, e.g. the response to HEAD
@SuppressWarnings("ArrayRecordComponent") // Responses are not compared.
public record Outgoing(int status, List<Header> headers, byte[] body) {

    /// The response that asks the client for the body.
    public static final Outgoing CONTINUE = new Outgoing(100, List.of(), new byte[0]);

    public boolean isContinue() {
        return status == CONTINUE.status;
    }
}
