package petstore.http;

import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One line for every request, unless the logger `access` is off. Never a key, a body, or the path, which could hold either.
final class AccessLog {

    private static final Logger LOG = LoggerFactory.getLogger("access");

    /// Logs a request that has come to its end.
    ///
    /// @param what became of it
    /// @param status of the answer; `-` when there was none
    /// @param bytes the length of the answer's body
    /// @param trace the id of the trace that it belongs to; `-` for none
    void ended(Exchange exchange, String what, Object status, long bytes, String trace, long durationNs) {
        if (LOG.isInfoEnabled()) {
            LOG.atInfo().addKeyValue("request", exchange.id())
                    .addKeyValue("key", exchange.keyId())
                    .addKeyValue("method", exchange.request().method().name())
                    .addKeyValue("route", exchange.route()).addKeyValue("status", status).addKeyValue("bytes", bytes)
                    .addKeyValue("trace", trace)
                    .addKeyValue("duration_us", TimeUnit.NANOSECONDS.toMicros(durationNs)).log(what);
        }
    }
}
