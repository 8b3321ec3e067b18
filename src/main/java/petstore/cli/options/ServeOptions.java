package petstore.cli.options;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import petstore.CommandFailure;
import petstore.RateLimit;
import petstore.app.Settings;
import petstore.http.ApiSettings;
import petstore.http.BaseUrl;
import petstore.http.message.TrustedProxies;
import petstore.http.server.ServerSettings;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.server.tls.TlsFiles;
import petstore.log.Logging;
import petstore.store.block.BlockCache;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

public final class ServeOptions implements HasVariables {

    private static final int MIN_KEY_LENGTH = 16;

    /// A boolean. Picocli would read an empty text as false.
    private enum Truth {
        TRUE, FALSE
    }

    private enum Switch {
        ON, OFF
    }

    @Mixin
    private final StoreOptions store = new StoreOptions();
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--host", defaultValue = "127.0.0.1", converter = OptionConverters.Host.class, paramLabel = "ADDRESS", description = "Address that the API listens on.")
    private String host;
    @Option(names = "--port", defaultValue = "8080", converter = OptionConverters.Port.class, paramLabel = "PORT", description = "Port of the API; 0 takes a free one.")
    private int port;
    @Option(names = "--admin-host", defaultValue = "127.0.0.1", converter = OptionConverters.Host.class, paramLabel = "ADDRESS", description = "Address that the admin listener (health, metrics) listens on.")
    private String adminHost;
    @Option(names = "--admin-port", defaultValue = "9090", converter = OptionConverters.Port.class, paramLabel = "PORT", description = "Port of the admin listener; 0 takes a free one.")
    private int adminPort;
    @Option(names = "--base-url", paramLabel = "URL", description = "URL of the API for clients, ends in /v1; makes Link and Location absolute.")
    private Optional<BaseUrl> baseUrl;
    @Option(names = "--staging-base-url", paramLabel = "URL", description = "URL of the staging environment for clients, ends in /v1; shown in the contract.")
    private Optional<BaseUrl> stagingBaseUrl;
    @Option(names = "--idle-timeout", defaultValue = "75s", paramLabel = "TIME", description = "Longest time that a connection may be idle.")
    private Duration idleTimeout;
    @Option(names = "--header-timeout", defaultValue = "10s", paramLabel = "TIME", description = "Longest time for a request's header block.")
    private Duration headerTimeout;
    @Option(names = "--request-timeout", defaultValue = "20s", paramLabel = "TIME", description = "Longest time for the rest: the client sends the body and receives the response.")
    private Duration requestTimeout;
    @Option(names = "--shutdown-delay", defaultValue = "0s", converter = OptionConverters.Delay.class, paramLabel = "TIME", description = "Time from the signal to stop until the service stops; meanwhile /readyz returns 503.")
    private Duration shutdownDelay;
    @Option(names = "--idempotency-retention", defaultValue = "24h", paramLabel = "TIME", description = "Time for which the result of a request with an Idempotency-Key is kept; the page retries for half of it, at most 1h.")
    private Duration idempotencyRetention;
    @Option(names = "--rate-limit", paramLabel = "COUNT/TIME", description = "Requests that each API key may send, e.g. 600/1m; no limit by default.")
    private Optional<RateLimit> rateLimit;
    @Option(names = "--database-readers", defaultValue = "8", converter = OptionConverters.Readers.class, paramLabel = "COUNT", description = "Concurrent reads from --database, each on its own connection; pages that wait are read together, up to 8.")
    private int databaseReaders;
    @Option(names = "--database-wait", defaultValue = "2m", paramLabel = "TIME", description = "Longest time that a start waits for a --database that cannot be used yet.")
    private Duration databaseWait;
    @Option(names = "--log-format", defaultValue = "text", paramLabel = "FORMAT", description = "Format of the log: text or json, one event a line.")
    private Logging.Format logFormat;
    @Option(names = "--access-log", defaultValue = "true", paramLabel = "BOOLEAN", description = "A log line for every request: true or false.")
    private Truth accessLog;
    @Option(names = "--page", defaultValue = "on", paramLabel = "ON|OFF", description = "The page for people at /: on or off.")
    private Switch page;
    @Option(names = "--max-connections", defaultValue = "10000", converter = OptionConverters.Connections.class, paramLabel = "COUNT", description = "Connections to each listener; at this limit, a new one displaces the longest without a request.")
    private int maxConnections;
    @Option(names = "--trusted-proxy", split = ",", hideParamSyntax = true, paramLabel = "CIDR", showDefaultValue = Visibility.NEVER, description = "Network of proxies that name the client of a request, e.g. 10.0.0.0/8; may be repeated.")
    private List<TrustedProxies.Network> trustedProxies = List.of();
    @Option(names = "--trusted-proxy-header", defaultValue = TrustedProxies.USUAL_FIELD, converter = OptionConverters.AddressField.class, paramLabel = "FIELD", description = "The one header field in which trusted proxies name the client.")
    private String trustedProxyHeader;

    // Completion in bash needs the type of a path, without Optional.
    @Option(names = "--tls-certificate", paramLabel = "FILE", description = "Certificate chain of the API listener, PEM; with --tls-key, it serves HTTPS.")
    private @Nullable Path tlsCertificate;
    @Option(names = "--tls-key", paramLabel = "FILE", description = "Private key of --tls-certificate, PEM, not encrypted.")
    private @Nullable Path tlsKey;
    @Option(names = "--cors-origin", split = ",", hideParamSyntax = true, converter = OptionConverters.Origin.class, paramLabel = "ORIGIN", showDefaultValue = Visibility.NEVER, description = "Site whose pages may use the API from a browser, e.g. https://shop.example; may be repeated.")
    private List<String> corsOrigins = List.of();

    public Logging.Format logFormat() {
        return logFormat;
    }

    public boolean accessLog() {
        return accessLog == Truth.TRUE;
    }

    /// Returns the checked settings. Errors: `ParameterException` for an invalid setting, [CommandFailure] for a file that cannot be read.
    public Settings settings(Map<String, String> environment) {
        ServerSettings server = server();
        return new Settings(store.choice(environment), databaseReaders, databaseWait, BlockCache.IDS,
                new ApiSettings(baseUrl, stagingBaseUrl, idempotencyRetention, rateLimit, page == Switch.ON,
                        server.tls().isPresent(), List.copyOf(corsOrigins)),
                server, configuredKey(environment));
    }

    private ServerSettings server() {
        if (port != 0 && port == adminPort && host.equals(adminHost)) {
            throw wrong("--port and --admin-port must differ");
        }
        if ((tlsCertificate == null) != (tlsKey == null)) {
            throw wrong("--tls-certificate and --tls-key must be given together");
        }
        if (trustedProxies.isEmpty() && !trustedProxyHeader.equals(TrustedProxies.USUAL_FIELD)) {
            throw wrong("--trusted-proxy-header needs --trusted-proxy");
        }
        return new ServerSettings(host, port, adminHost, adminPort,
                new Deadlines(idleTimeout, headerTimeout, requestTimeout), maxConnections, shutdownDelay,
                new TrustedProxies(List.copyOf(trustedProxies), trustedProxyHeader),
                tlsCertificate == null || tlsKey == null
                        ? Optional.empty()
                        : Optional.of(new TlsFiles(tlsCertificate, tlsKey)));
    }

    private Optional<String> configuredKey(Map<String, String> environment) {
        Optional<String> key = SecretVariable.API_KEY.find(environment, spec.commandLine());
        if (key.isPresent() && !key.get().matches("[!-~]{" + MIN_KEY_LENGTH + ",}")) {
            throw wrong(SecretVariable.API_KEY.source(environment) + " must be at least " + MIN_KEY_LENGTH
                    + " characters of visible ASCII without spaces");
        }
        return key;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
