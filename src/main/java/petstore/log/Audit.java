package petstore.log;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.ApiKey;

/// Who did what to which API key, in the log.
public final class Audit {

    /// What logs it, and requests that were refused for their key.
    static final String LOGGER = "audit";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);

    private Audit() {
    }

    /// Logs a change of a key by the user of the operating system who runs this process.
    public static void log(String what, ApiKey key) {
        LOG.info("key {} id={} name=\"{}\" by={}", what, key.id(), key.shownName(), System.getProperty("user.name"));
    }
}
