package petstore.http;

import io.vertx.core.net.SocketAddress;

/// The audit lines of requests that were refused for their key: who, what, when, and which key, never a secret. What is the route,
/// as the path could hold a key.
final class RefusalLog {

    private final RequestLog log;

    RefusalLog(RequestLog log) {
        this.log = log;
    }

    /// Logs one refused request. To look for the places of six values in a pattern would take longer than all the rest.
    void refused(Exchange exchange, int status) {
        SocketAddress client = exchange.request().remoteAddress();
        // It is gone when the client was before the store had been asked for its key.
        String address = client == null ? "-" : client.hostAddress();
        log.refused(exchange.beganMillis(), "refused " + status + ' ' + Methods.name(exchange.request().method()) + ' '
                + exchange.route() + " key=" + exchange.keyId() + " from=" + address + " request=" + exchange.id());
    }
}
