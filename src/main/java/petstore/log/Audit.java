package petstore.log;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.ApiKey;

/// The audit log: changes of API keys.
public final class Audit {

    /// The logger of key changes and refused requests.
    static final String LOGGER = "audit";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);

    private Audit() {
    }

    /// Logs a change of a key by the operating system's user who runs this process.
    public static void log(String change, ApiKey key) {
        LOG.info("key {} id={} name=\"{}\" by={}", change, key.id(), key.shownName(), System.getProperty("user.name"));
    }
}
