package petstore.app;

import java.time.Duration;
import java.util.Optional;

import petstore.http.ApiSettings;
import petstore.http.server.ServerSettings;

/// The settings of `serve`.
///
/// @param idsOfBlock the number of ids whose animals memory keeps together
/// @param configuredKey an API key that is accepted besides those of the store; never shown
public record Settings(StoreChoice store, int readers, Duration databaseWait, int idsOfBlock, ApiSettings api,
        ServerSettings server, Optional<String> configuredKey) {

    @Override
    public String toString() {
        return "Settings[" + store + ", " + api + ", " + server + "]";
    }
}
