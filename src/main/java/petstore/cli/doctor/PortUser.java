package petstore.cli.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.HttpsURLConnection;

import petstore.http.server.ServerSettings;
import petstore.http.server.tls.JavaTls;

/// The program that listens on a port of this machine.
///
/// @param isPetstore true if it responds like this service
/// @param isAdmin true if it is the admin listener of a petstore that is ready
/// @param process its process; absent if this system does not show it
public record PortUser(boolean isPetstore, boolean isReady, boolean isAdmin, Optional<ListeningProcess> process) {

    private static final int TIMEOUT_MS = 1_000;
    private static final int MOST_BYTES = 4_096;

    /// Asks the program for its readiness, by HTTP and by HTTPS. Takes at most 4 seconds, 8 for the IPv6 address for all interfaces.
    ///
    /// @param host the address of the port, also an address for all interfaces
    public static PortUser find(String host, int port) {
        String response = ServerSettings.reachable(host, port).stream()
                .flatMap(authority -> Stream.of("http://", "https://").map(scheme -> scheme + authority + "/readyz"))
                .map(PortUser::readiness).filter(text -> !text.isEmpty()).findFirst().orElse("");
        boolean ready = response.contains("\"status\":\"ready\"");
        return new PortUser(ready || response.contains("\"code\":\"unavailable\""), ready,
                response.contains("\"version\":"), ListeningProcess.find(port));
    }

    /// Returns the response of a server; empty if there is none.
    private static String readiness(String address) {
        try {
            HttpURLConnection connection = (HttpURLConnection) URI.create(address).toURL().openConnection();
            connection.setConnectTimeout(TIMEOUT_MS);
            connection.setReadTimeout(TIMEOUT_MS);
            if (connection instanceof HttpsURLConnection secure) {
                // Only the readiness is asked, so any certificate will do.
                secure.setSSLSocketFactory(JavaTls.trustingAny().getSocketFactory());
                secure.setHostnameVerifier((_, _) -> true);
            }
            boolean failed = connection.getResponseCode() >= HttpURLConnection.HTTP_BAD_REQUEST;
            try (InputStream body = failed ? connection.getErrorStream() : connection.getInputStream()) {
                return body == null ? "" : new String(body.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
            }
        } catch (IOException | GeneralSecurityException e) {
            return "";
        }
    }

    /// Returns e.g. `a petstore that is ready (process 12)` or `another program (process 34, nginx)`.
    @Override
    public String toString() {
        return (isPetstore ? "a petstore that is " + (isReady ? "ready" : "not ready") : "another program")
                + process.map(found -> " (process " + found.id() + (isPetstore ? ")" : ", " + found.name() + ")"))
                        .orElse("");
    }
}
