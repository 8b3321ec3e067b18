package petstore.http.message;

import java.math.BigInteger;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Proxies that name the client of a request, and the one header field in which they do.
///
/// Each proxy appends the address that it received the request from. So the list is read from its right end, and only as far as the
/// proxies are trusted: the client may have written the rest.
///
/// @param networks the addresses of the proxies; empty if no header field counts
/// @param field the header field, a list of addresses with or without ports, separated by commas
public record TrustedProxies(List<Network> networks, String field) {

    /// The default of `field`.
    public static final String USUAL_FIELD = "X-Forwarded-For";

    /// A block of addresses.
    ///
    /// @param prefix the number of leading bits that all addresses share with `first`
    public record Network(InetAddress first, int prefix) {

        private static final Pattern LENGTH = Pattern.compile("[0-9]{1,3}");

        /// Returns the network in CIDR notation, e.g. `10.0.0.0/8`, or of one address; absent for any other text, and if the address
        /// has bits behind the prefix.
        public static Optional<Network> find(String text) {
            int slash = text.indexOf('/');
            String length = text.substring(slash + 1);
            Optional<InetAddress> address = literal(slash < 0 ? text : text.substring(0, slash));
            if (address.isEmpty() || (slash >= 0 && !LENGTH.matcher(length).matches())) {
                return Optional.empty();
            }
            int bits = bits(address.get());
            Network network = new Network(address.get(), slash < 0 ? bits : Integer.parseInt(length));
            return network.prefix <= bits && network.isFirst() ? Optional.of(network) : Optional.empty();
        }

        private boolean isFirst() {
            return shared(first).shiftLeft(bits(first) - prefix).equals(number(first));
        }

        boolean contains(InetAddress address) {
            return bits(address) == bits(first) && shared(address).equals(shared(first));
        }

        private BigInteger shared(InetAddress address) {
            return number(address).shiftRight(bits(address) - prefix);
        }

        private static BigInteger number(InetAddress address) {
            return new BigInteger(1, address.getAddress());
        }

        private static int bits(InetAddress address) {
            return address.getAddress().length * Byte.SIZE;
        }
    }

    /// Returns true if the header field of requests from this address counts.
    public boolean trust(InetAddress address) {
        return networks.stream().anyMatch(network -> network.contains(address));
    }

    /// Returns the address of the client: the rightmost that is not trusted, or the leftmost if all are. An element without an address
    /// ends the list: then the client is the proxy that appended it.
    ///
    /// @param peer the other end of the connection
    public InetAddress client(InetAddress peer, HeaderFields headers) {
        InetAddress client = peer;
        for (String line : headers.all(field).reversed()) {
            for (String element : List.of(line.split(",", -1)).reversed()) {
                Optional<InetAddress> named = element.isBlank() ? Optional.of(client) : address(element.strip());
                if (named.isEmpty() || !trust(client)) {
                    return client;
                }
                client = named.get();
            }
        }
        return client;
    }

    /// Returns the address of `192.0.2.7`, `192.0.2.7:443`, `2001:db8::7`, `[2001:db8::7]` or `[2001:db8::7]:443`; absent for any
    /// other text, e.g. `unknown`.
    private static Optional<InetAddress> address(String element) {
        Optional<InetAddress> bare = literal(element);
        if (bare.isPresent()) {
            return bare;
        }
        int end = UriHost.end(element);
        String host = element.substring(0, end);
        String port = element.substring(end);
        if (!port.isEmpty() && !(port.startsWith(":") && UriHost.isPort(port.substring(1)))) {
            return Optional.empty();
        }
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        String address = bracketed ? host.substring(1, host.length() - 1) : host;
        return literal(address).filter(_ -> bracketed == UriHost.isIpv6Address(address));
    }

    /// Returns an address without brackets and port. An IPv4 address in IPv6 is that IPv4 address.
    private static Optional<InetAddress> literal(String text) {
        return UriHost.isIpv4Address(text) || UriHost.isIpv6Address(text)
                ? Optional.of(InetAddress.ofLiteral(text))
                : Optional.empty();
    }
}
