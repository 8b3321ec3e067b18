package petstore.http.server;

import java.time.Duration;
import java.util.Collections;
import java.util.List;

/// How long a client may take.
///
/// @param idle from the end of a response to the first byte of the next request
/// @param header from the first byte of a request, or from connecting, to the end of its header block
/// @param request from the end of the header block until the body is complete and the response is sent
public record Deadlines(Duration idle, Duration header, Duration request) {

    Duration shortest() {
        return Collections.min(List.of(idle, header, request));
    }
}
