package petstore.http;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import petstore.RateLimit;

/// How the service meets its clients.
///
/// @param host the address that the API listens on, e.g. `127.0.0.1`
/// @param port its port, 0 for a free one
/// @param adminHost the address of the admin listener
/// @param adminPort its port, 0 for a free one
/// @param baseUrl where clients find `/v1`; absent when answers refer to it relatively
/// @param stagingBaseUrl the same for the staging environment; only shown in the contract
/// @param deadlines how long a client may take
/// @param maxConnections the most connections at once, of each listener
/// @param idempotencyRetention how long the result of a request with an Idempotency-Key is kept
/// @param shutdownDelay how long to go on serving, while saying not to be ready, when told to stop
/// @param rateLimit how many requests each API key may send that has no limit of its own; absent for any number
/// @param tls what the API listener proves who it is with, and speaks TLS; absent for plain HTTP
/// @param corsOrigins the origins whose pages may use the API from a browser, e.g. `https://shop.example`
public record HttpSettings(String host, int port, String adminHost, int adminPort, Optional<BaseUrl> baseUrl,
        Optional<BaseUrl> stagingBaseUrl, Deadlines deadlines, int maxConnections, Duration idempotencyRetention,
        Duration shutdownDelay, Optional<RateLimit> rateLimit, Optional<TlsFiles> tls,
        List<String> corsOrigins) {

    /// Two files in PEM form.
    ///
    /// @param certificate the server's certificate, and behind it those that lead from it to one that clients know
    /// @param key the private key of the first certificate, not encrypted
    public record TlsFiles(Path certificate, Path key) {
    }

    /// How long a client may take.
    ///
    /// @param idle from the end of an answer to the first byte of the next request
    /// @param header from the first byte of a request, or from connecting, to the end of its header block
    /// @param request from the end of the header block until the body has come and the answer is sent
    public record Deadlines(Duration idle, Duration header, Duration request) {

        public Duration shortest() {
            return Collections.min(List.of(idle, header, request));
        }
    }

    /// Where answers say the API is: the base address, or `/v1`.
    String base() {
        return baseUrl.map(BaseUrl::toString).orElse("/v1");
    }

    /// Where answers say the reference page is: beside the API.
    String docs() {
        return base().substring(0, base().lastIndexOf('/')) + "/docs";
    }
}
