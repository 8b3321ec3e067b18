package petstore.app;

import java.time.Duration;
import java.util.Optional;

import petstore.http.ApiSettings;
import petstore.http.server.ServerSettings;

/// The settings of `serve`.
///
/// @param readers the maximum number of concurrent reads of a database
/// @param databaseWait the time that the start waits for a database that cannot commit
/// @param configuredKey an API key that is accepted besides those of the store; never shown
public record Settings(StoreChoice store, int readers, Duration databaseWait, ApiSettings api, ServerSettings server,
        Optional<String> configuredKey) {

    @Override
    public String toString() {
        return "Settings[" + store + ", " + api + ", " + server + "]";
    }
}
