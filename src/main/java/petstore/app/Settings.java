package petstore.app;

import java.time.Duration;
import java.util.Optional;

import petstore.http.ApiSettings;
import petstore.http.server.ServerSettings;

/// Everything that `serve` is told.
///
/// @param store which store is served
/// @param readers how many requests may read from a database at once
/// @param databaseWait how long the start waits for a database that cannot commit
/// @param api settings of the API
/// @param server settings of the listeners
/// @param configuredKey one more API key that is accepted; never shown
public record Settings(StoreChoice store, int readers, Duration databaseWait, ApiSettings api, ServerSettings server,
        Optional<String> configuredKey) {

    @Override
    public String toString() {
        return "Settings[" + store + ", " + api + ", " + server + "]";
    }
}
