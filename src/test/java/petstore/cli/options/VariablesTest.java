package petstore.cli.options;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.cli.Main;
import petstore.cli.terminal.Console;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.Shell;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

/// Environment variables. Settings of the service and of the store have variables; options of single commands do not.
class VariablesTest {

    @TempDir
    private Path folder;

    /// The output of the last command.
    private String out = "";

    private List<String> run(int code, Map<String, String> environment, String... line) {
        Map<String, String> all = new HashMap<>(environment);
        all.putIfAbsent("PETSTORE_DATA", folder.resolve("data").toString());
        Ending ending = CommandLines.ending(all, line);
        assertThat(ending.code()).as(ending.toString()).isEqualTo(code);
        out = String.join("\n", ending.out());
        return ending.err().stream().filter(text -> !text.contains(Shell.NEW_STORE)).toList();
    }

    private static Stream<OptionSpec> options(CommandLine command) {
        return Stream.concat(command.getCommandSpec().options().stream(),
                command.getSubcommands().values().stream().flatMap(VariablesTest::options));
    }

    @Test
    void onlyServiceAndStoreOptionsHaveVariables() {
        CommandLine petstore = Main.commandLine(Console.of(InputStream.nullInputStream(),
                OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), false, Map.of(), Clock.systemUTC()));
        CommandLine serve = requireNonNull(petstore.getSubcommands().get("serve"));
        assertThat(options(petstore).flatMap(option -> Variables.of(option).stream()).collect(toSet()))
                .hasSize(27).contains("PETSTORE_DATA", "PETSTORE_RATE_LIMIT", "PETSTORE_TO")
                .isSubsetOf(Stream.concat(options(serve), options(petstore).filter(o -> o.longestName().equals("--to")))
                        .map(option -> Variables.name(option.longestName())).collect(toSet()));
    }

    @Test
    void ignoresVariablesOfOtherOptions() {
        Map<String, String> environment = Map.of("PETSTORE_RATE_LIMIT", "5/1m", "PETSTORE_EXPIRES_IN", "90d",
                "PETSTORE_SCOPE", "none", "PETSTORE_NAME", "other");
        assertThat(run(0, environment, "keys", "create", "--name", "x")).hasSize(3);
        run(0, Map.of("PETSTORE_FORMAT", "csv"), "keys", "list", "--format", "json");
        assertThat(out).contains("\"name\":\"x\"",
                "\"expires\":null", "\"rateLimit\":null", "pets:write");
        assertThat(run(0, Map.of("PETSTORE_FORMAT", "csv"), "keys", "list"))
                .containsExactly("petstore: warning: unknown environment variable PETSTORE_FORMAT is ignored");
    }

    @Test
    void ignoresVariablesOfKubernetes() {
        Map<String, String> environment = new HashMap<>();
        for (String service : List.of("PETSTORE", "PETSTORE_ADMIN", "PETSTORE_DATABASE", "PETSTORE_SERVICE")) {
            environment.put(service + "_SERVICE_HOST", "10.0.0.1");
            environment.put(service + "_SERVICE_PORT", "8080");
            environment.put(service + "_SERVICE_PORT_HTTP_API", "8080");
            environment.put(service + "_PORT", "tcp://10.0.0.1:8080");
            for (String protocol : List.of("TCP", "UDP", "SCTP")) {
                String port = service + "_PORT_8080_" + protocol;
                environment.put(port, protocol + "://10.0.0.1:8080");
                environment.put(port + "_PROTO", protocol);
                environment.put(port + "_PORT", "8080");
                environment.put(port + "_ADDR", "10.0.0.1");
            }
        }
        environment.put("PETSTORE_ADMIN_PORT", "udp://[fd00::1]:53");
        assertThat(run(0, environment, "config")).isEmpty();
        assertThat(out).containsPattern("--port +8080 +default")
                .containsPattern("--admin-port +9090 +default");
        assertThat(run(2, Map.of("PETSTORE_PORT", "http://10.0.0.1:8080"), "config").getFirst())
                .contains("petstore: PETSTORE_PORT (--port): ");
    }

    @ParameterizedTest
    @CsvSource({"PETSTORE_ADMIN_PROT, PETSTORE_ADMIN_PORT", "PETSTORE_DAT, PETSTORE_DATA",
            "PETSTORE_DATAA, PETSTORE_DATA",
            "PETSTORE_XATA, PETSTORE_DATA", "PETSTORE_data_base, PETSTORE_DATABASE", "PETSTORE_port, PETSTORE_PORT",
            "PETSTORE_API_KEYS, PETSTORE_API_KEY",
            "PETSTORE_API_KEY_FIEL, PETSTORE_API_KEY_FILE", "PETSTORE_DATABASE_PASWORD, PETSTORE_DATABASE_PASSWORD",
            "PETSTORE_JAVA_OPTION, PETSTORE_JAVA_OPTIONS", "PETSTORE_TOO, PETSTORE_TO", "PETSTORE_OPRT, PETSTORE_PORT",
            "PETSTORE_RATELIMIT, PETSTORE_RATE_LIMIT", "PETSTORE_RATE__LIMIT, PETSTORE_RATE_LIMIT",
            "PETSTORE_ADMIN_PROTS, ", "PETSTORE_OPTR, ", "PETSTORE_REPLICA_3, ", "PETSTORE_HELP, ", "PETSTORE_, "})
    void warnsOfUnknownVariablesAndRefusesNearMisses(String name, String suggestion) {
        run(0, Map.of(), "keys", "create", "--name", "x");
        for (String command : List.of("config", "keys list")) {
            String unknown = "unknown environment variable " + name;
            List<String> messages = run(suggestion == null ? 0 : 2, Map.of(name, "x"), command.split(" ", 0));
            if (suggestion == null) {
                assertThat(messages).containsExactly("petstore: warning: " + unknown + " is ignored");
            } else {
                assertThat(messages).singleElement().asString()
                        .startsWith("petstore: " + unknown + "; did you mean " + suggestion + "? (see ");
            }
        }
    }

    /// An option wins over a variable, which may then have any value.
    @Test
    void configShowsValuesAndSourcesButNoSecrets() throws IOException {
        String secret = "a-secret-key-of-the-operator";
        assertThat(run(0, Map.of("PETSTORE_HOST", "::1", "PETSTORE_PORT", "not a port", "PETSTORE_API_KEY", secret),
                "config", "--port", "9000", "--format", "json")).isEmpty();
        assertThat(out).contains(
                "{\"setting\":\"--base-url\",\"value\":null,\"from\":\"default\"}", "\"--database\",\"value\":null,",
                "\"--idle-timeout\",\"value\":\"75s\",\"from\":\"default\"",
                "\"--host\",\"value\":\"::1\",\"from\":\"PETSTORE_HOST\"",
                "\"--port\",\"value\":\"9000\",\"from\":\"--port\"",
                "\"API key\",\"value\":\"(secret)\",\"from\":\"PETSTORE_API_KEY\"").doesNotContain("\"-\"", secret);
        Path key = Files.writeString(folder.resolve("key"), secret + "\n");
        assertThat(run(0, Map.of("PETSTORE_API_KEY_FILE", key.toString()), "config")).isEmpty();
        assertThat(out).containsPattern("SETTING +VALUE +FROM\n--data +.*/data +PETSTORE_DATA")
                .containsPattern("API key +\\(secret\\) +PETSTORE_API_KEY_FILE$").doesNotContain(secret);
        assertThat(folder.resolve("data")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PETSTORE_PROXY_LISTEN", "PETSTORE_REPLICA_1", "PETSTORE_JAVA", "PETSTORE_API_KEY", "PATH",
            "PETSTORE"})
    void doesNotWarnOfKnownVariables(String name) {
        assertThat(run(0, Map.of(name, "a-value-of-some-length"), "config")).isEmpty();
    }
}
