package petstore.app;

import java.time.Duration;
import java.util.Optional;

import petstore.http.HttpSettings;

/// Everything that `serve` is told.
///
/// @param store which store is served
/// @param readers how many requests may read from a database at once
/// @param databaseWait how long the start waits for a database that cannot commit
/// @param http how the service meets its clients
/// @param configuredKey one more API key that is accepted; never shown
public record Settings(StoreChoice store, int readers, Duration databaseWait, HttpSettings http,
        Optional<String> configuredKey) {

    @Override
    public String toString() {
        return "Settings[" + store + ", " + http + "]";
    }
}
