package petstore.app;

import java.nio.file.Path;
import java.util.Optional;

import petstore.http.HttpSettings;

/// Everything that `serve` is told.
///
/// @param folder where the embedded store is
/// @param http how the service meets its clients
/// @param configuredKey one more API key that is accepted; never shown
record Settings(Path folder, HttpSettings http, Optional<String> configuredKey) {

    @Override
    public String toString() {
        return "Settings[" + folder + ", " + http + "]";
    }
}
