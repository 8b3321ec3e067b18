package petstore.cli.options;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import petstore.Failure;
import petstore.RateLimit;
import petstore.app.Settings;
import petstore.http.ApiSettings;
import petstore.http.BaseUrl;
import petstore.http.server.ServerSettings;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.server.tls.TlsFiles;
import petstore.log.Logging;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// Everything that `petstore serve` can be told, and `petstore config` shows.
@HasVariables
public final class ServeOptions {

    private static final int MIN_KEY_LENGTH = 16;

    /// Yes or no. Of a `boolean` picocli takes an empty text for no.
    private enum Truth {
        TRUE, FALSE
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
    @Option(names = "--base-url", paramLabel = "URL", description = "Where clients find the API, ends in /v1; makes Link and Location absolute.")
    private Optional<BaseUrl> baseUrl;
    @Option(names = "--staging-base-url", paramLabel = "URL", description = "Where clients find the staging environment, ends in /v1; shown in the contract.")
    private Optional<BaseUrl> stagingBaseUrl;
    @Option(names = "--idle-timeout", defaultValue = "75s", paramLabel = "TIME", description = "How long a connection may stay without a request.")
    private Duration idleTimeout;
    @Option(names = "--header-timeout", defaultValue = "10s", paramLabel = "TIME", description = "How long a client may take for a request's header block.")
    private Duration headerTimeout;
    @Option(names = "--request-timeout", defaultValue = "20s", paramLabel = "TIME", description = "How long a client may take for the rest: sending the body, taking the answer.")
    private Duration requestTimeout;
    @Option(names = "--shutdown-delay", defaultValue = "0s", converter = OptionConverters.Delay.class, paramLabel = "TIME", description = "How long to go on serving when told to stop, while /readyz already says 503.")
    private Duration shutdownDelay;
    @Option(names = "--idempotency-retention", defaultValue = "24h", paramLabel = "TIME", description = "How long the result of a request with an Idempotency-Key is kept.")
    private Duration idempotencyRetention;
    @Option(names = "--rate-limit", paramLabel = "COUNT/TIME", description = "How many requests each API key may send, e.g. 600/1m; any number when not given.")
    private Optional<RateLimit> rateLimit;
    @Option(names = "--database-readers", defaultValue = "16", converter = OptionConverters.Readers.class, paramLabel = "COUNT", description = "How many requests may read from --database at once, each on a connection of its own.")
    private int databaseReaders;
    @Option(names = "--database-wait", defaultValue = "2m", paramLabel = "TIME", description = "How long to wait at the start for a --database that cannot commit.")
    private Duration databaseWait;
    @Option(names = "--log-format", defaultValue = "text", paramLabel = "FORMAT", description = "How the log is written: text or json, one event a line.")
    private Logging.Format logFormat;
    @Option(names = "--access-log", defaultValue = "true", paramLabel = "BOOLEAN", description = "Whether the log has a line for every request: true or false.")
    private Truth accessLog;
    @Option(names = "--max-connections", defaultValue = "10000", converter = OptionConverters.Connections.class, paramLabel = "COUNT", description = "Most connections at once to each listener; more are closed at once.")
    private int maxConnections;

    @Option(names = "--tls-certificate", converter = OptionConverters.Location.class, paramLabel = "FILE", description = "Certificate chain of the API listener, PEM; with --tls-key it speaks HTTPS.")
    private Optional<Path> tlsCertificate;
    @Option(names = "--tls-key", converter = OptionConverters.Location.class, paramLabel = "FILE", description = "Private key of --tls-certificate, PEM, not encrypted.")
    private Optional<Path> tlsKey;
    @Option(names = "--cors-origin", split = ",", converter = OptionConverters.Origin.class, paramLabel = "ORIGIN", showDefaultValue = Visibility.NEVER, description = "Site whose pages may use the API from a browser, e.g. https://shop.example; may be repeated.")
    private List<String> corsOrigins = List.of();

    public String host() {
        return host;
    }

    public String adminHost() {
        return adminHost;
    }

    public Logging.Format logFormat() {
        return logFormat;
    }

    public boolean accessLog() {
        return accessLog == Truth.TRUE;
    }

    /// The settings, once they are checked. Errors: `ParameterException` for a setting that makes no sense, [Failure] for a file
    /// that cannot be read.
    public Settings settings(Map<String, String> environment) {
        Deadlines deadlines = new Deadlines(idleTimeout, headerTimeout, requestTimeout);
        if (port != 0 && port == adminPort && host.equals(adminHost)) {
            throw wrong("--port and --admin-port must differ");
        }
        if (tlsCertificate.isPresent() != tlsKey.isPresent()) {
            throw wrong("--tls-certificate and --tls-key must be given together");
        }
        return new Settings(store.choice(environment), databaseReaders, databaseWait,
                new ApiSettings(baseUrl, stagingBaseUrl, idempotencyRetention, rateLimit, List.copyOf(corsOrigins)),
                new ServerSettings(host, port, adminHost, adminPort, deadlines, maxConnections, shutdownDelay,
                        tlsCertificate.map(file -> new TlsFiles(file, tlsKey.orElseThrow()))),
                configuredKey(environment));
    }

    /// The key that the environment gives, in `PETSTORE_API_KEY` or in the file that `PETSTORE_API_KEY_FILE` names.
    private Optional<String> configuredKey(Map<String, String> environment) {
        Optional<String> key = SecretVariable.API_KEY.find(environment, spec.commandLine());
        if (key.isPresent() && (key.get().length() < MIN_KEY_LENGTH
                || !key.get().chars().allMatch(c -> c > ' ' && c < 0x7F))) {
            throw wrong(SecretVariable.API_KEY.source(environment) + " must be at least " + MIN_KEY_LENGTH
                    + " characters of visible ASCII without spaces");
        }
        return key;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
