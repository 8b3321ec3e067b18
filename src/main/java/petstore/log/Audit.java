package petstore.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

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
        String user = user();
        LOG.atInfo().addKeyValue("event.action", "key-" + change).addKeyValue(LogLayout.KEY_ID, key.id())
                .addKeyValue("petstore.key.name", key.shownName()).addKeyValue("user.name", user)
                .log("key {} id={} name=\"{}\" by={}", change, key.id(), key.shownName(), user);
    }

    /// Returns the user's name or, of a user without a name, e.g. in a container, the number.
    private static String user() {
        String name = System.getProperty("user.name");
        try {
            return name.equals("?") ? Files.getAttribute(Path.of("/proc/self"), "unix:uid").toString() : name;
        } catch (IOException | UnsupportedOperationException e) {
            return name;
        }
    }
}
