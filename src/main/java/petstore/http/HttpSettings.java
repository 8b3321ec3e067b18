package petstore.http;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/// How the service meets its clients.
///
/// @param host the address that the API listens on, e.g. `127.0.0.1`
/// @param port its port, 0 for a free one
/// @param adminHost the address of the admin listener
/// @param adminPort its port, 0 for a free one
/// @param baseUrl where clients find `/v1`, ends in `/v1`; absent when answers refer to it relatively
/// @param stagingBaseUrl the same for the staging environment; only shown in the contract
/// @param deadlines how long a client may take
/// @param maxConnections the most connections at once, of both listeners together
public record HttpSettings(String host, int port, String adminHost, int adminPort, Optional<URI> baseUrl,
        Optional<URI> stagingBaseUrl, Deadlines deadlines, int maxConnections) {

    /// How long a client may take.
    ///
    /// @param idle between an answer and the next request
    /// @param header from the first byte of a request, or from connecting, to the end of its header block
    /// @param request from the end of the header block until the body has come and the answer is sent
    public record Deadlines(Duration idle, Duration header, Duration request) {
    }

    /// Where answers say the API is: the base address, or `/v1`.
    String base() {
        return baseUrl.map(URI::toString).orElse("/v1");
    }
}
