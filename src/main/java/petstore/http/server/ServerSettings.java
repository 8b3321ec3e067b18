package petstore.http.server;

import java.time.Duration;
import java.util.Optional;

import petstore.http.message.TrustedProxies;
import petstore.http.server.tls.TlsFiles;

/// Settings of the listeners, as docs/settings.md explains them.
public record ServerSettings(String host, int port, String adminHost, int adminPort, Deadlines deadlines,
        int maxConnections, Duration shutdownDelay, TrustedProxies proxies, Optional<TlsFiles> tls) {

    /// Returns the scheme of the API's URLs with its slashes: `http://` or `https://`.
    public String scheme() {
        return tls.isPresent() ? "https://" : "http://";
    }

    /// Returns the authority of a URL, e.g. `127.0.0.1:8080` or `[::1]:8080`.
    public static String authority(String host, int port) {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /// Limits of a client's time.
    ///
    /// @param idle from the end of a request and its response to the first byte of the next request
    /// @param header from the first byte of a request, or from connecting, to the end of its header block
    /// @param request from the end of the header block until the body is complete and the response is sent
    public record Deadlines(Duration idle, Duration header, Duration request) {
    }
}
