package petstore.cli;

import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import petstore.CommandFailure;
import petstore.KeyToken;
import petstore.SafeText;
import petstore.app.Build;
import petstore.app.EmbeddedStore;
import petstore.app.Service;
import petstore.app.Settings;
import petstore.cli.terminal.Console;
import petstore.http.server.ServerSettings;

/// The lines of `serve` with its addresses and a first request.
record Greeting(Settings settings, Service service, Console console) {

    /// Shows the greeting. Errors: [CommandFailure] if a first key cannot be shown.
    void show() {
        PrintWriter out = console.out();
        ServerSettings server = settings.server();
        // Not every system can connect to the address for all interfaces.
        String local = server.scheme() + LocalAuthorities.of(server.host(), service.port()).getFirst();
        String page = settings.api().baseUrl().isPresent() ? settings.api().root() : local + "/";
        Optional<KeyToken> key = service.firstKey();
        out.println("Petstore " + Build.running());
        out.println((settings.store() instanceof EmbeddedStore ? "Data: " : "Database: ")
                + SafeText.of(settings.store().place()));
        key.ifPresent(token -> KeysCommand.show("First API key, shown only once: ", token, "rotate " + token.id(),
                settings.store(), console));
        out.println("Petstore is ready: " + server.scheme() + ServerSettings.authority(server.host(), service.port())
                + "/v1");
        settings.api().baseUrl().ifPresent(url -> out.println("API for clients: " + url));
        if (settings.api().page()) {
            out.println("Page: " + page);
            if (console.isTerminal()) {
                // Only on a terminal, because a log must not keep the key.
                key.ifPresent(token -> console.err().println("Page, signed in with this key: " + page + "#key="
                        + URLEncoder.encode(token.text(), StandardCharsets.UTF_8)));
            }
        }
        out.println("Try it:");
        // The certificate has another name than this address, and the request does not leave the machine.
        out.println((server.tls().isPresent() ? "  curl -k " : "  curl ")
                + key.map(token -> "-H 'Authorization: Bearer " + token.text() + "' " + local + "/v1/pets")
                        .orElse(local + "/readyz"));
        if (key.isEmpty()) {
            out.println("New API key:");
            out.println("  " + SafeText.of(KeysCommand.line("create --name me", settings.store())));
        }
        out.println("Admin: http://" + ServerSettings.authority(server.adminHost(), service.adminPort()));
    }
}
