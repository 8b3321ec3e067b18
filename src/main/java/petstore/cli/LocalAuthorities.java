package petstore.cli;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;

import petstore.http.server.ServerSettings;

/// The authorities at which clients on this machine reach a listener.
final class LocalAuthorities {

    private LocalAuthorities() {
    }

    /// Returns those of its URLs: of a loopback address if `host` is the address for all interfaces, of both families if it is
    /// that of IPv6.
    static List<String> of(String host, int port) {
        Stream<String> hosts = !isForAllInterfaces(host)
                ? Stream.of(host)
                : host.contains(":") ? Stream.of("::1", "127.0.0.1") : Stream.of("127.0.0.1");
        return hosts.map(each -> ServerSettings.authority(each, port)).toList();
    }

    private static boolean isForAllInterfaces(String host) {
        try {
            return InetAddress.ofLiteral(host).isAnyLocalAddress();
        } catch (IllegalArgumentException e) {
            // A name.
            return false;
        }
    }
}
