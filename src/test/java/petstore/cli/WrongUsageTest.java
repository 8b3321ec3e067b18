package petstore.cli;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess.Ending;

import static org.assertj.core.api.Assertions.assertThat;

/// Wrong options, arguments and variables. `CommandLineIT` tests some of them, and failures, with the real program.
class WrongUsageTest {

    /// A command line that is refused.
    ///
    /// @param fragments the parts of the error message
    record Mistake(Map<String, String> environment, String line, List<String> fragments) {

        @Override
        public String toString() {
            return line + " " + environment;
        }
    }

    private static Mistake usage(String line, String... fragments) {
        return new Mistake(Map.of(), line, List.of(fragments));
    }

    private static Mistake setting(String name, String value, String... fragments) {
        return new Mistake(Map.of(name, value), "serve", List.of(fragments));
    }

    static Stream<Mistake> mistakes() {
        return Stream.of(usage("feed", "unknown command feed"),
                usage("serve --colour red", "--colour"),
                usage("serve --port http", "--port", "'http'"),
                setting("PETSTORE_PORT", "http", "PETSTORE_PORT", "'http'"),
                usage("serve --port 9 --admin-port 9", "--admin-port"),
                usage("healthcheck --admin-port 70000", "--admin-port", "'70000'", "65535"),
                usage("serve --rate-limit 600/366d", "--rate-limit", "365d"),
                usage("serve --request-timeout 20", "--request-timeout", "'20'", "30s"),
                usage("serve --tls-certificate c.pem", "--tls-certificate and --tls-key", "together"),
                usage("serve --cors-origin *", "--cors-origin", "'*'", "https://shop.example"),
                usage("serve --cors-origin https://shop.example,https://shop.example/", "'https://shop.example/'"),
                usage("serve --cors-origin https://shop.example:443", "'https://shop.example:443'"),
                usage("serve --cors-origin null", "--cors-origin", "'null'"),
                usage("serve --trusted-proxy proxy.example", "--trusted-proxy", "'proxy.example'", "10.0.0.0/8"),
                usage("serve --trusted-proxy 10.0.0.1/8", "'10.0.0.1/8' is not a network"),
                usage("serve --trusted-proxy-header X-Real-IP", "--trusted-proxy-header needs --trusted-proxy"),
                usage("serve --trusted-proxy ::1 --trusted-proxy-header forwarded", "'forwarded' (RFC 7239)",
                        "X-Forwarded-For"),
                usage("serve --trusted-proxy ::1 --trusted-proxy-header a:b", "'a:b' is not the name"),
                setting("PETSTORE_TRUSTED_PROXY", "10/8", "PETSTORE_TRUSTED_PROXY", "'10/8'"),
                setting("PETSTORE_CORS_ORIGIN", "shop.example", "PETSTORE_CORS_ORIGIN", "'shop.example'"),
                usage("export animals.csv.gz", "animals.csv.gz", "--format ndjson or --format csv"),
                usage("import a.ndjson --spreadsheet", "--format csv"),
                usage("backup -", "stdout", "./-"),
                usage("restore -", "stdin", "./-"),
                setting("PETSTORE_API_KEY", "a long key with spaces", "PETSTORE_API_KEY", "spaces"),
                setting("PETSTORE_IDLE_TIMEOUT", "long", "PETSTORE_IDLE_TIMEOUT", "'long'"),
                new Mistake(Map.of("PETSTORE_API_KEY", "a-key-that-is-long-enough", "PETSTORE_API_KEY_FILE", "/none"),
                        "serve", List.of("PETSTORE_API_KEY and PETSTORE_API_KEY_FILE must not both be set")),
                new Mistake(Map.of("PETSTORE_API_KEY", "", "PETSTORE_API_KEY_FILE", ""), "keys list",
                        List.of("PETSTORE_API_KEY and PETSTORE_API_KEY_FILE must not both be set")),
                new Mistake(Map.of("PETSTORE_DATABASE_PASSWORD", "geheim", "PETSTORE_DATABASE_PASSWORD_FILE", "/none"),
                        "config", List.of("PETSTORE_DATABASE_PASSWORD and PETSTORE_DATABASE_PASSWORD_FILE must not")),
                usage("serve --access-log=", "--access-log", "'' is not one of true, false"),
                setting("PETSTORE_ACCESS_LOG", "", "PETSTORE_ACCESS_LOG (--access-log): '' is not one of true, false"),
                setting("PETSTORE_ACCESS_LOG", "no",
                        "PETSTORE_ACCESS_LOG (--access-log): 'no' is not one of true, false"),
                usage("serve --host=", "--host", "'' is not an address", "127.0.0.1"),
                setting("PETSTORE_HOST", "", "'' is not an address", "petstore: PETSTORE_HOST (--"),
                setting("PETSTORE_ADMIN_HOST", "", "'' is not an address", "petstore: PETSTORE_ADMIN_HOST (--"),
                usage("healthcheck --admin-host=", "--admin-host", "'' is not an address"),
                usage("serve --host 1:2:3", "--host", "'1:2:3' is not an address"),
                usage("serve --host [127.0.0.1]", "--host", "'[127.0.0.1]' is not an address"),
                usage("serve --host 127.0.0.1:8080", "--host", "'127.0.0.1:8080' is not an address"),
                usage("serve --host 256.0.0.1", "--host", "'256.0.0.1' is not an address"),
                usage("serve --admin-host a_b", "--admin-host", "'a_b' is not an address"),
                usage("serve --cors-origin https://[1:2:3]", "--cors-origin", "'https://[1:2:3]' is not an origin"),
                usage("serve --cors-origin https://a:65536", "--cors-origin", "'https://a:65536' is not an origin"),
                usage("serve --database postgresql://[1:2:3]/d", "--database", "its hosts must look like host1:5432"),
                setting("PETSTORE_DATA", "", "--data", "'' is not a path", "petstore: PETSTORE_DATA (--"),
                setting("PETSTORE_TLS_KEY", "", "--tls-key", "'' is not a path", "petstore: PETSTORE_TLS_KEY (--"),
                setting("PETSTORE_API_KEY_FILE", "", "PETSTORE_API_KEY_FILE must name a file"),
                usage("serve --max-connections 99999999999", "'99999999999'", "between 1 and 2147483647"),
                usage("serve --database-readers x", "--database-readers", "'x'", "between 1 and 1000"),
                setting("PETSTORE_DATABASE_READERS", "1001", "between 1 and 1000",
                        "petstore: PETSTORE_DATABASE_READERS (--"),
                setting("PETSTORE_CORS_ORIGIN", "https://a.example,b.example,http://c.example", "'b.example'",
                        "petstore: PETSTORE_CORS_ORIGIN (--"),
                new Mistake(Map.of("PETSTORE_ADMIN_HOST", "a b"), "healthcheck",
                        List.of("--admin-host", "'a b' is not an address", "petstore: PETSTORE_ADMIN_HOST (--")));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void refusesWrongUsageInOneLine(Mistake mistake) {
        Ending ending = CommandLines.ending(mistake.environment(), mistake.line().split(" ", 0));
        assertThat(ending.code()).isEqualTo(Main.WRONG_USAGE);
        assertThat(ending.out()).isEmpty();
        assertThat(ending.err()).singleElement().asString().startsWith("petstore: ").contains(mistake.fragments())
                .doesNotContain("Exception", "java.");
        String key = mistake.environment().getOrDefault("PETSTORE_API_KEY", "");
        assertThat(key.isEmpty() || !ending.err().getFirst().contains(key)).as("the key is not shown").isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "imprt x | unknown command imprt; did you mean import? (see 'petstore --help')",
            "import | missing required parameter: 'FILE' (see 'petstore import --help')",
            "import x --keep-id | unknown option --keep-id; did you mean --keep-ids? (see 'petstore import --help')",
            "export x --format xml | --format: 'xml' is not one of ndjson, csv (see 'petstore export --help')",
            "keys list --format xml | --format: 'xml' is not one of table, json (see 'petstore keys list --help')",
            "keys create --name x --expires-at soon | --expires-at: 'soon' is not a moment such as 2027-01-31 or 2027-01-31T12:00:00Z (see 'petstore keys create --help')",
            "keys create --name x --expires-at 2020-01-01 | --expires-at must be later than now (see 'petstore keys create --help')",
            "keys create | missing required option: '--name=NAME' (see 'petstore keys create --help')",
            "keys create --name x --expires-in 1d --expires-at 2100-01-01 | --expires-in=TIME, --expires-at=MOMENT are mutually exclusive (specify only one) (see 'petstore keys create --help')",
            "serve --idle-timeout 0s | --idle-timeout: '0s' is too short; the least is 1ms (see 'petstore serve --help')",
            "serve --rate-limit | missing required parameter for option '--rate-limit' (COUNT/TIME) (see 'petstore serve --help')",
            "keys | missing command; give one of create, list, rotate, revoke, prune (see 'petstore keys --help')"})
    void explainsWrongUsage(String line) {
        String[] parts = line.split(" \\| ", 2);
        assertThat(CommandLines.ending(Map.of(), parts[0].split(" ", 0)))
                .isEqualTo(new Ending(Main.WRONG_USAGE, List.of(), List.of("petstore: " + parts[1])));
    }
}
