package petstore.http.message;

import java.math.BigInteger;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Proxies that name the client of a request, and the header field that they use.
///
/// Each proxy appends the address that it received the request from. So the list is read from its right end, up to the first address that
/// is not trusted: the client may have written the rest.
///
/// @param networks the addresses of the proxies; empty if no header field counts
/// @param field the header field, a list of addresses with or without ports, separated by commas
public record TrustedProxies(List<Network> networks, String field) {

    /// The default of `field`.
    public static final String USUAL_FIELD = "X-Forwarded-For";

    /// The most elements that are read, because clients may send thousands.
    private static final int MOST_PROXIES = 50;

    /// An IPv6 address in brackets or an IPv4 address, with or without a port.
    private static final Pattern WITH_PORT = Pattern.compile("(?:\\[([^]:]*+:[^]]*+)]|([^:]*+))(?::(.*))?");

    /// A block of addresses.
    ///
    /// @param prefix the number of leading bits that all addresses share with `first`
    public record Network(InetAddress first, int prefix) {

        private static final Pattern FORM = Pattern.compile("([^/]*)(?:/([0-9]{1,3}))?");

        /// Returns the network of a text in CIDR notation, e.g. `10.0.0.0/8`, or of one address. Absent for other text, and for an
        /// address with bits behind the prefix.
        public static Optional<Network> find(String text) {
            Matcher parts = FORM.matcher(text);
            Optional<InetAddress> first = parts.matches() ? literal(parts.group(1)) : Optional.empty();
            return first.map(lowest -> new Network(lowest,
                    parts.group(2) == null ? bits(lowest) : Integer.parseInt(parts.group(2))))
                    .filter(network -> network.prefix <= bits(network.first) && network.contains(network.first));
        }

        boolean contains(InetAddress address) {
            int behind = bits(first) - prefix;
            return bits(address) == bits(first)
                    && number(address).shiftRight(behind).shiftLeft(behind).equals(number(first));
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
    /// ends the list: then the client is the proxy that appended it. So does the last of [#MOST_PROXIES].
    public InetAddress client(InetAddress peer, HeaderFields headers) {
        InetAddress client = peer;
        for (String element : headers.elements(field).reversed().stream().limit(MOST_PROXIES).toList()) {
            Optional<InetAddress> named = trust(client) ? address(element) : Optional.empty();
            if (named.isEmpty()) {
                return client;
            }
            client = named.get();
        }
        return client;
    }

    /// Returns the address of `192.0.2.7`, `192.0.2.7:443`, `2001:db8::7`, `[2001:db8::7]` or `[2001:db8::7]:443`; absent for any
    /// other text, e.g. `unknown`.
    private static Optional<InetAddress> address(String element) {
        Matcher parts = WITH_PORT.matcher(element);
        if (!parts.matches() || (parts.group(3) != null && !UriHost.isPort(parts.group(3)))) {
            return literal(element);
        }
        return literal(parts.group(1) == null ? parts.group(2) : parts.group(1));
    }

    /// Returns an address without brackets and port. An IPv4 address in IPv6 is that IPv4 address.
    private static Optional<InetAddress> literal(String text) {
        return UriHost.isIpv4Address(text) || UriHost.isIpv6Address(text)
                ? Optional.of(InetAddress.ofLiteral(text))
                : Optional.empty();
    }
}
