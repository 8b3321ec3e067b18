package petstore.http.server.codec;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

import io.netty.channel.Channel;
import io.netty.util.NetUtil;
import petstore.http.message.HeaderFields;
import petstore.http.message.TrustedProxies;

/// The address of the client of a connection, or of a request that a trusted proxy passes on.
public final class ClientAddress {

    /// The trusted proxy at the other end; absent if that is the client.
    private final Optional<InetAddress> proxy;
    private final TrustedProxies proxies;
    private final String peer;

    public ClientAddress(Channel connection, TrustedProxies proxies) {
        Optional<InetAddress> address = connection.remoteAddress() instanceof InetSocketAddress socket
                ? Optional.ofNullable(socket.getAddress())
                : Optional.empty();
        this.proxy = address.filter(proxies::trust);
        this.proxies = proxies;
        this.peer = address.map(NetUtil::toAddressString).orElse("-");
    }

    /// Returns the address of the client of a request, e.g. `192.0.2.7`; `-` if the connection was closed before.
    public String of(HeaderFields headers) {
        return proxy.map(known -> NetUtil.toAddressString(proxies.client(known, headers))).orElse(peer);
    }
}
