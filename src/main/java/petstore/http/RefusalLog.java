package petstore.http;

import java.time.Clock;
import java.util.Optional;
import java.util.regex.Pattern;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.ApiKey;
import petstore.KeyToken;

/// The audit lines of requests that were refused for their key: who, what, when, and which key, never a secret.
///
/// At most [#MOST_A_SECOND] lines a second are written one by one; those above are counted in one line, so that nobody can fill
/// the disk or slow the service down by asking without a key.
final class RefusalLog {

    private static final Logger LOG = LoggerFactory.getLogger("audit");
    private static final int MOST_A_SECOND = 100;
    private static final Pattern KEY = Pattern.compile(KeyToken.PREFIX + "[0-9A-Za-z]{10,}");

    private final Clock clock;
    private long second;
    private long count;

    RefusalLog(Clock clock) {
        this.clock = clock;
    }

    /// Logs one refused request; may be called from any thread.
    ///
    /// @param key the key that does not allow it; absent when there was no good key
    void refused(Exchange exchange, int status, Optional<ApiKey> key) {
        if (mayWrite()) {
            LOG.info("refused {} {} {} key={} from={} request={}", status, exchange.request().method(),
                    KEY.matcher(String.valueOf(exchange.request().path())).replaceAll(KeyToken.PREFIX + "…"),
                    key.map(ApiKey::id).orElse("-"), exchange.request().remoteAddress().hostAddress(), exchange.id());
        }
    }

    private synchronized boolean mayWrite() {
        long now = clock.millis() / 1_000;
        if (now != second) {
            if (count > MOST_A_SECOND) {
                LOG.info("refused {} more requests in the second before", count - MOST_A_SECOND);
            }
            second = now;
            count = 0;
        }
        return ++count <= MOST_A_SECOND;
    }
}
