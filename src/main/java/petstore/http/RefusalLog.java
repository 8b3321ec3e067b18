package petstore.http;

import io.vertx.core.net.SocketAddress;

/// Tells the audit of requests that were refused for their key.
final class RefusalLog {

    private final RequestLog log;

    RefusalLog(RequestLog log) {
        this.log = log;
    }

    /// Logs one refused request.
    void refused(Exchange exchange, int status) {
        SocketAddress client = exchange.request().remoteAddress();
        // It is gone when the client was before the store had been asked for its key.
        log.refused(new RequestLog.Refusal(exchange.beganMillis(), status, Methods.name(exchange.request().method()),
                exchange.route(), exchange.keyId(), client == null ? "-" : client.hostAddress(), exchange.id()));
    }
}
