package petstore.http;

import java.util.regex.Pattern;

import io.vertx.core.net.SocketAddress;
import petstore.KeyToken;

/// The audit lines of requests that were refused for their key: who, what, when, and which key, never a secret.
final class RefusalLog {

    private static final Pattern KEY = Pattern.compile(KeyToken.PREFIX + "[0-9A-Za-z]{10,}");

    private final RequestLog log;

    RefusalLog(RequestLog log) {
        this.log = log;
    }

    /// Logs one refused request. To look for the places of six values in a pattern would take longer than all the rest.
    void refused(Exchange exchange, int status) {
        SocketAddress client = exchange.request().remoteAddress();
        // It is gone when the client was before the store had been asked for its key.
        String address = client == null ? "-" : client.hostAddress();
        log.refused(exchange.beganMillis(), "refused " + status + ' ' + exchange.request().method() + ' '
                + withoutKey(String.valueOf(exchange.request().path())) + " key=" + exchange.keyId() + " from="
                + address + " request=" + exchange.id());
    }

    private static String withoutKey(String path) {
        return path.contains(KeyToken.PREFIX) ? KEY.matcher(path).replaceAll(KeyToken.PREFIX + "…") : path;
    }
}
