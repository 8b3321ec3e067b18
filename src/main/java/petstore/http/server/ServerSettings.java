package petstore.http.server;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

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

    /// Returns the authorities at which clients on this machine may reach a listener: a loopback address if `host` is the address for all
    /// interfaces, of both families if it is that of IPv6.
    public static List<String> reachable(String host, int port) {
        Stream<String> hosts = !isForAllInterfaces(host)
                ? Stream.of(host)
                : host.contains(":") ? Stream.of("::1", "127.0.0.1") : Stream.of("127.0.0.1");
        return hosts.map(each -> authority(each, port)).toList();
    }

    private static boolean isForAllInterfaces(String host) {
        try {
            return InetAddress.ofLiteral(host).isAnyLocalAddress();
        } catch (IllegalArgumentException e) {
            // A name.
            return false;
        }
    }

    /// Limits of a client's time.
    ///
    /// @param idle from the end of a response to the first byte of the next request
    /// @param header from the first byte of a request, or from connecting, to the end of its header block
    /// @param request from the end of the header block until the body is complete and the response is sent
    public record Deadlines(Duration idle, Duration header, Duration request) {
    }
}
