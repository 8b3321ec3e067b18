package petstore.cli.options;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.RateLimit;
import petstore.app.PostgresStore;
import petstore.app.Settings;
import petstore.cli.Main;
import petstore.cli.terminal.Console;
import petstore.http.ApiSettings;
import petstore.http.BaseUrl;
import petstore.http.message.TrustedProxies;
import petstore.http.server.ServerSettings;
import petstore.http.server.ServerSettings.Deadlines;
import petstore.http.server.tls.TlsFiles;
import petstore.log.Logging;
import petstore.store.SchemaPolicy;
import petstore.store.block.BlockCache;
import petstore.store.postgres.PostgresUri;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/// The options of `petstore serve`. Each option sets the setting of the same name.
class ServeOptionsTest {

    private static final String KEY = "a-key-for-the-test-of-options";

    /// All values are different, and no value is a default.
    private static final Map<String, String> GIVEN = Map.ofEntries(Map.entry("--data", "the/store"),
            Map.entry("--database", "postgresql://keeper@db.example:5433/animals"), Map.entry("--migrate", "check"),
            Map.entry("--host", "[2001:db8::1]"), Map.entry("--port", "8001"),
            Map.entry("--admin-host", "[2001:db8::2]"),
            Map.entry("--admin-port", "9001"), Map.entry("--base-url", "https://petstore.example/v1"),
            Map.entry("--staging-base-url", "https://staging.example/v1"), Map.entry("--idle-timeout", "31s"),
            Map.entry("--header-timeout", "11s"), Map.entry("--request-timeout", "21s"),
            Map.entry("--shutdown-delay", "5s"), Map.entry("--idempotency-retention", "2h"),
            Map.entry("--rate-limit", "600/1m"), Map.entry("--database-readers", "17"),
            Map.entry("--database-wait", "3m"),
            Map.entry("--log-format", "json"), Map.entry("--access-log", "false"), Map.entry("--page", "off"),
            Map.entry("--max-connections", "5000"), Map.entry("--tls-certificate", "chain.pem"),
            Map.entry("--tls-key", "key.pem"),
            Map.entry("--trusted-proxy", "10.0.0.0/8,2001:db8::/32"), Map.entry("--trusted-proxy-header", "X-Real-IP"),
            Map.entry("--cors-origin", "https://shop.example,https://other.example"));

    private static final Settings EXPECTED = new Settings(
            new PostgresStore(PostgresUri.parse("postgresql://keeper:secret@db.example:5433/animals"),
                    SchemaPolicy.CHECK),
            17, Duration.ofMinutes(3), BlockCache.IDS,
            new ApiSettings(Optional.of(BaseUrl.parse("https://petstore.example/v1")),
                    Optional.of(BaseUrl.parse("https://staging.example/v1")), Duration.ofHours(2),
                    Optional.of(new RateLimit(600, Duration.ofMinutes(1))), false, true,
                    List.of("https://shop.example", "https://other.example")),
            new ServerSettings("2001:db8::1", 8001, "2001:db8::2", 9001,
                    new Deadlines(Duration.ofSeconds(31), Duration.ofSeconds(11), Duration.ofSeconds(21)),
                    5000, Duration.ofSeconds(5),
                    new TrustedProxies(
                            List.of(TrustedProxies.Network.find("10.0.0.0/8").orElseThrow(),
                                    TrustedProxies.Network.find("2001:db8::/32").orElseThrow()),
                            "X-Real-IP"),
                    Optional.of(new TlsFiles(Path.of("chain.pem"), Path.of("key.pem")))),
            Optional.of(KEY));

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void convertsOptionsToSettings(boolean asVariables) {
        Map<String, String> environment = new HashMap<>(
                Map.of("PETSTORE_DATABASE_PASSWORD", "secret", "PETSTORE_API_KEY", KEY));
        String[] arguments = {"serve"};
        if (asVariables) {
            GIVEN.forEach((option, value) -> environment.put(Variables.name(option), value));
        } else {
            arguments = Stream.concat(Stream.of(arguments),
                    GIVEN.entrySet().stream().map(option -> option.getKey() + "=" + option.getValue()))
                    .toArray(String[]::new);
        }
        CommandLine petstore = Main.commandLine(Console.of(InputStream.nullInputStream(),
                OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), false, environment,
                Clock.systemUTC()));
        petstore.parseArgs(arguments);

        CommandSpec serve = requireNonNull(petstore.getSubcommands().get("serve")).getCommandSpec();
        assertThat(serve.options().stream()
                .filter(option -> !option.inherited() && !option.usageHelp() && !option.versionHelp())
                .map(OptionSpec::longestName)).containsExactlyInAnyOrderElementsOf(GIVEN.keySet());
        ServeOptions options = (ServeOptions) requireNonNull(serve.mixins().get("options")).userObject();
        assertThat(options.settings(environment)).usingRecursiveComparison().isEqualTo(EXPECTED);
        assertThat(options.logFormat()).isEqualTo(Logging.Format.JSON);
        assertThat(options.accessLog()).isFalse();
    }
}
