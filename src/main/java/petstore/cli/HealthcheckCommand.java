package petstore.cli;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.Iterator;
import java.util.Optional;

import petstore.CommandFailure;
import petstore.cli.options.HasVariables;
import petstore.cli.options.OptionConverters;
import petstore.cli.terminal.ConsoleCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "healthcheck", description = "Exits with 0 if the server is ready, else with 1.", footer = {"",
        "Example:",
        "  petstore healthcheck --admin-port 9090"})
final class HealthcheckCommand extends ConsoleCommand implements HasVariables, Runnable {

    private static final int TIMEOUT_MS = 2_000;

    @Option(names = "--admin-host", defaultValue = "127.0.0.1", converter = OptionConverters.Host.class, paramLabel = "ADDRESS", description = "Address of the server's admin listener.")
    private String host;
    @Option(names = "--admin-port", defaultValue = "9090", converter = OptionConverters.Port.class, paramLabel = "PORT", description = "Port of the server's admin listener.")
    private int port;

    @Override
    public void run() {
        if (port == 0) {
            throw wrongUsage("--admin-port 0 is any free port; give the one that serve printed");
        }
        Iterator<String> authorities = LocalAuthorities.of(host, port).iterator();
        Optional<CommandFailure> failure;
        do {
            failure = findFailure("http://" + authorities.next() + "/readyz");
        } while (failure.isPresent() && authorities.hasNext());
        if (failure.isPresent()) {
            throw failure.get();
        }
        console().printError("Ready");
    }

    private static Optional<CommandFailure> findFailure(String address) {
        try {
            HttpURLConnection connection = (HttpURLConnection) URI.create(address).toURL().openConnection();
            connection.setConnectTimeout(TIMEOUT_MS);
            connection.setReadTimeout(TIMEOUT_MS);
            return connection.getResponseCode() == HttpURLConnection.HTTP_OK
                    ? Optional.empty()
                    : Optional.of(
                            new CommandFailure("not ready: " + address + " returns " + connection.getResponseCode()));
        } catch (IOException e) {
            return Optional.of(CommandFailure.of("not ready: " + address, e));
        }
    }
}
