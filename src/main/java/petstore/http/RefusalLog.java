package petstore.http;

import java.util.regex.Pattern;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.KeyToken;

/// The audit lines of requests that were refused for their key: who, what, when, and which key, never a secret.
final class RefusalLog {

    private static final Logger LOG = LoggerFactory.getLogger("audit");
    private static final Pattern KEY = Pattern.compile(KeyToken.PREFIX + "[0-9A-Za-z]{10,}");

    /// Logs one refused request.
    void refused(Exchange exchange, int status) {
        LOG.info("refused {} {} {} key={} from={} request={}", status, exchange.request().method(),
                withoutKey(String.valueOf(exchange.request().path())), exchange.keyId(),
                exchange.request().remoteAddress().hostAddress(), exchange.id());
    }

    private static String withoutKey(String path) {
        return path.contains(KeyToken.PREFIX) ? KEY.matcher(path).replaceAll(KeyToken.PREFIX + "…") : path;
    }
}
