package petstore.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import petstore.Failure;
import petstore.cli.options.Variables;
import petstore.store.postgres.Postgres;
import petstore.testkit.ServedContract;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

import static org.assertj.core.api.Assertions.assertThat;

/// Agreement of documents and code: every name in a document exists, and every table has the texts of the code.
class DocumentationTest {

    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern CLASS = Pattern.compile("[A-Z][a-z]+(?:[A-Z][a-z]*)*");
    private static final Pattern FILE = Pattern.compile("\\.?[a-z][A-Za-z0-9.-]*(/[A-Za-z0-9.-]+)+/?");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^):]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
    private static final Pattern OPTION = Pattern.compile("(?<![^ `=])(--[a-z][a-z-]+)");
    private static final Pattern VARIABLE = Pattern.compile("\\b(PETSTORE_[A-Z_]+)\\b");
    /// Links that [#LINK] does not match.
    private static final Pattern OTHER_LINK = Pattern.compile("(?m)^\\[[^]]+]: |<a ");
    /// The version in the name of an image, an archive or a folder; empty for an image without a tag.
    private static final Pattern VERSION = Pattern
            .compile("(?:image: petstore\\b:?|\\bpetstore[-_:](?=\\d+\\.\\d))(\\d+(?:\\.\\d+)+|\\w*)");
    private static final int MOST_WORDS = 9_900;
    private static final int MOST_WORDS_OF_AN_ALERT = 80;
    private static final Map<String, Integer> MOST_WORDS_OF = Map.of("README.md", 800, "SECURITY.md", 300,
            "ARCHITECTURE.md", 1_500, "docs/performance.md", 600, "docs/scaling.md", 700);

    private static final Set<String> LOG_FIELDS = Set.of("petstore.key.id", "petstore.key.name");
    /// Files of a store, an archive or a build, which a clone does not have. `PackagingIT` and `BuildIT` check archive and build.
    private static final Set<String> ARCHIVED = Set.of("petstore.db", "petstore.db-wal", "petstore.lock",
            "petstore.jar", "petstore.aot", "commands.aot", "petstore.env",
            "completions/petstore", "runtime/legal", "target/petstore", ".build/build.log");

    @Test
    void settingsTableMatchesOptionsOfServe() throws IOException {
        assertThat(rows("docs/settings.md", "| `--")).containsExactlyElementsOf(options("petstore serve")
                .map(DocumentationTest::row).toList());
    }

    @Test
    void environmentFileMatchesOptionsOfServe() throws IOException {
        String file = Files.readString(Path.of("deploy/petstore.env"));
        assertThat(options("petstore serve")).allSatisfy(option -> assertThat(file).contains(
                "# " + String.join(" ", option.description()) + "\n#" + Variables.name(option.longestName()) + "="));
    }

    @Test
    void commandTableMatchesProgram() throws IOException {
        List<String> expected = commands().map(DocumentationTest::row).toList();
        assertThat(rows("docs/cli.md", "| `petstore ")).containsExactlyElementsOf(expected);
    }

    @Test
    void everyOptionHasADescription() {
        commands().flatMap(command -> command.getCommandSpec().options().stream())
                .forEach(option -> assertThat(option.description()).as(option.longestName()).isNotEmpty());
    }

    @Test
    void everyNameInTheDocumentsExists() throws IOException {
        Set<String> sources = files("src").stream().filter(file -> file.endsWith(".java"))
                .map(file -> file.substring(file.lastIndexOf('/') + 1, file.length() - ".java".length()))
                .collect(Collectors.toSet());
        Set<String> missing = new TreeSet<>();
        for (String document : documents()) {
            for (String code : matches(CODE, Files.readString(Path.of(document)))) {
                if (ARCHIVED.contains(code)) {
                    continue;
                }
                String name = code.replaceAll("[#(].*", "");
                // The classes in clients.md belong to generated code.
                if (CLASS.matcher(name).matches() && !sources.contains(name) && !isInJdkOrHttp(name)
                        && !document.equals("docs/clients.md")) {
                    missing.add(document + ": " + code);
                }
                if (FILE.matcher(code).matches() && !Files.exists(Path.of(code)) && !code.startsWith("application/")) {
                    missing.add(document + ": " + code);
                }
                if (code.startsWith("petstore.") && !packageExists(code) && !LOG_FIELDS.contains(code)) {
                    missing.add(document + ": " + code);
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void everyOptionInTheDocumentsExists() throws IOException {
        Set<String> known = optionNames();
        // Options of bench/run and of openapi-generator.
        known.addAll(Set.of("--long", "--model-name-mappings"));
        for (String document : documents()) {
            for (String code : matches(CODE, Files.readString(Path.of(document)))) {
                assertThat(matches(OPTION, code)).as(document + ": " + code).isSubsetOf(known);
            }
        }
    }

    @Test
    void everyOptionIsDocumented() throws IOException {
        String all = Files.readString(Path.of("docs/cli.md")) + Files.readString(Path.of("docs/settings.md"));
        assertThat(optionNames()).allMatch(option -> Pattern.compile(option + "(?![a-z-])").matcher(all).find());
    }

    private static Set<String> optionNames() {
        Set<String> names = new TreeSet<>(Set.of("--help", "--version"));
        commands().flatMap(command -> command.getCommandSpec().options().stream())
                .forEach(option -> names.add(option.longestName()));
        return names;
    }

    @Test
    void everyVariableInTheDocumentsExists() throws IOException {
        Set<String> known = new TreeSet<>(Set.of("PETSTORE_API_KEY", "PETSTORE_API_KEY_FILE", "PETSTORE_TO",
                "PETSTORE_DATABASE_PASSWORD", "PETSTORE_DATABASE_PASSWORD_FILE", "PETSTORE_JAVA_OPTIONS"));
        options("petstore serve").forEach(option -> known.add(Variables.name(option.longestName())));
        for (String document : documents()) {
            assertThat(matches(VARIABLE, Files.readString(Path.of(document)))).as(document).isSubsetOf(known);
        }
    }

    @Test
    void everyLinkBetweenDocumentsHasTarget() throws IOException {
        for (String document : documents()) {
            assertThat(Files.readString(Path.of(document))).as(document).doesNotContainPattern(OTHER_LINK);
            for (String link : matches(LINK, Files.readString(Path.of(document)))) {
                String[] target = link.split("#", 2);
                Path file = target[0].isEmpty() ? Path.of(document) : Path.of(document).resolveSibling(target[0]);
                assertThat(file).as(document).exists();
                if (target.length == 2) {
                    assertThat(matches(HEADING, Files.readString(file))).as(document + ": " + link)
                            .anyMatch(heading -> anchor(heading).equals(target[1]));
                }
            }
        }
    }

    /// Returns the anchor of a heading on GitHub.
    private static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
    }

    @Test
    void documentsAreShort() throws IOException {
        int all = 0;
        for (String document : documents()) {
            int words = Files.readString(Path.of(document)).strip().split("\\s+").length;
            assertThat(words).as(document).isLessThanOrEqualTo(MOST_WORDS_OF.getOrDefault(document, MOST_WORDS));
            all += words;
        }
        assertThat(all).isLessThanOrEqualTo(MOST_WORDS);
    }

    @Test
    void tableOf503sHasEveryCodeOnce() throws IOException {
        String manual = Files.readString(Path.of("docs/operations.md"));
        List<String> codes = matches(Pattern.compile("(?s)\n## Why did a request get 503\\?\n(.+?)\n#"), manual)
                .stream()
                .flatMap(section -> matches(Pattern.compile("(?m)^\\| (`.+?) \\|"), section).stream())
                .flatMap(cell -> matches(Pattern.compile("`([a-z_]+)`"), cell).stream()).toList();
        assertThat(codes).containsExactlyInAnyOrderElementsOf(
                Stream.of(Failure.Unavailability.values()).map(Failure.Unavailability::code).toList());
    }

    @Test
    void everyAlertHasShortRunbook() throws IOException {
        String manual = Files.readString(Path.of("docs/operations.md"));
        for (String alert : matches(Pattern.compile("- alert: (.+)"),
                Files.readString(Path.of("deploy/alerts.yaml")))) {
            List<String> text = matches(Pattern.compile("(?s)\n### " + alert + "\n\n(.+?)\n\n#"), manual);
            assertThat(text).as(alert).hasSize(1);
            assertThat(text.getFirst().split("\\s+").length).as(alert).isLessThanOrEqualTo(MOST_WORDS_OF_AN_ALERT);
        }
    }

    /// `promtool` runs the cases.
    @Test
    void everyAlertHasFiringAndSilentTestCase() throws IOException {
        String cases = Files.readString(Path.of(".ci/alerts-minutes-test.yaml"))
                + Files.readString(Path.of(".ci/alerts-hours-test.yaml"));
        for (String alert : matches(Pattern.compile("- alert: (.+)"),
                Files.readString(Path.of("deploy/alerts.yaml")))) {
            assertThat(cases).as(alert).containsPattern("alertname: " + alert + "\\n +exp_alerts")
                    .containsPattern("alertname: " + alert + " }");
        }
    }

    @Test
    void everyAlertLinksToItsRunbook() throws IOException {
        List<String> alerts = matches(Pattern.compile("- alert: (.+)"),
                Files.readString(Path.of("deploy/alerts.yaml")));
        assertThat(matches(Pattern.compile("runbook_url: (.+)"), Files.readString(Path.of("deploy/alerts.yaml"))))
                .containsExactlyElementsOf(alerts.stream()
                        .map(alert -> "docs/operations.md#" + alert.toLowerCase(Locale.ROOT)).toList());
    }

    @Test
    void numberOfConnectionsIsThatOfTheService() throws IOException {
        for (String file : List.of("docs/postgresql.md", "deploy/cluster/patroni.yaml",
                "deploy/cluster/pgbouncer.ini")) {
            assertThat(matches(Pattern.compile("--database-readers`? \\+ (\\d+)"), Files.readString(Path.of(file))))
                    .as(file).isNotEmpty().containsOnly(String.valueOf(Postgres.FURTHER_CONNECTIONS));
        }
    }

    /// Otherwise, the log has the address of the proxy instead of the client.
    @Test
    void exampleProxiesForwardClientAddress() throws IOException {
        assertThat(Path.of("docs/deployment.md")).content()
                .contains("proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;");
        assertThat(Path.of("deploy/haproxy.cfg")).content().contains("\n  option forwardfor\n");
        String compose = Files.readString(Path.of("deploy/compose.yaml"));
        assertThat(matches(Pattern.compile("PETSTORE_TRUSTED_PROXY: (\\S+)"), compose)).hasSize(1)
                .isEqualTo(matches(Pattern.compile("ipv4_address: (\\S+)"), compose));
    }

    /// `pom.xml` has the version and the date of the release. The build passes them to `--version`, the archives and the image.
    @Test
    void everyFileNamesVersionAndDateOfTheBuild() throws IOException {
        String pom = Files.readString(Path.of("pom.xml"));
        String version = matches(Pattern.compile("<version>([^<]+)</version>"), pom).getFirst();
        String date = matches(Pattern.compile("outputTimestamp>([^T]+)T00:00:00Z</"), pom).getFirst();
        List<String> versions = new ArrayList<>();
        versions.add("openapi.yaml: " + ServedContract.yaml(ServedContract.openapi()).at("/info/version").asText());
        List<String> files = new ArrayList<>(documents());
        files.add("Dockerfile");
        files("deploy").stream().filter(file -> Files.isRegularFile(Path.of(file))).sorted().forEach(files::add);
        for (String file : files) {
            matches(VERSION, Files.readString(Path.of(file))).forEach(each -> versions.add(file + ": " + each));
        }
        assertThat(versions.stream().filter(each -> !each.endsWith(": " + version))).as("pom.xml has " + version)
                .isEmpty();
        assertThat(matches(Pattern.compile("(?m)^## (.+)$"), Files.readString(Path.of("CHANGELOG.md"))).getFirst())
                .as("CHANGELOG.md").isEqualTo(version + " – " + date);
    }

    /// Otherwise, `.ci/lint-contract` protects clients of a contract that no release has.
    @Test
    void contractOfTheReleaseIsKept() throws IOException {
        String released = Files.readString(Path.of(".ci/contract/released.yaml"));
        String contract = ServedContract.openapi();
        Pattern version = Pattern.compile("(?m)^  version: (.+)$");
        if (matches(version, released).equals(matches(version, contract))) {
            assertThat(released.endsWith("\n\n" + contract)).as("released.yaml ends like openapi.yaml").isTrue();
        }
    }

    /// Returns true for a word that looks like a class name, but is a header field, a status or a class of the JDK.
    private static boolean isInJdkOrHttp(String name) {
        return Set.of("Link", "Location", "Authorization", "Allow", "Sunset", "Deprecation", "Retry-After", "Bearer",
                "Error",
                "Duration", "Instant", "Path", "Optional", "Clock").contains(name);
    }

    private static boolean packageExists(String code) {
        return Files.isDirectory(Path.of("src/main/java", code.replace('.', '/').replaceAll("/\\*+$", "")));
    }

    private static String row(OptionSpec option) {
        String defaultValue = option.defaultValue() == null ? "" : "`" + option.defaultValue() + "`";
        return "| `" + option.longestName() + "` | `" + Variables.name(option.longestName()) + "` | " + defaultValue
                + " | "
                + String.join(" ", option.description()) + " |";
    }

    private static String row(CommandLine command) {
        return "| `" + command.getCommandSpec().qualifiedName() + "` | "
                + String.join(" ", command.getCommandSpec().usageMessage().description()) + " |";
    }

    private static Stream<OptionSpec> options(String command) {
        return commands().map(CommandLine::getCommandSpec)
                .filter(spec -> spec.qualifiedName().equals(command)).flatMap(spec -> spec.options().stream())
                .filter(option -> !option.versionHelp() && !option.usageHelp() && !option.inherited());
    }

    /// Returns the commands without those that only have subcommands.
    private static Stream<CommandLine> commands() {
        return HelpTest.commands().filter(command -> command.getSubcommands().isEmpty());
    }

    /// All documents except the changelog.
    private static List<String> documents() throws IOException {
        List<String> all = new ArrayList<>(List.of("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md",
                "examples/README.md"));
        files("docs").stream().filter(file -> file.endsWith(".md")).sorted().forEach(all::add);
        return all;
    }

    private static List<String> rows(String document, String beginning) throws IOException {
        return Files.readAllLines(Path.of(document)).stream().filter(line -> line.startsWith(beginning)).toList();
    }

    private static List<String> matches(Pattern pattern, String text) {
        return new ArrayList<>(pattern.matcher(text).results().map((MatchResult match) -> match.group(1)).toList());
    }

    private static List<String> files(String folder) throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(folder))) {
            return files.map(Path::toString).toList();
        }
    }
}
