package petstore.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.cli.options.Variables;
import petstore.http.server.tls.TlsFiles;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.Shell;
import petstore.testkit.TestCertificate;
import petstore.testkit.Tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/// The archives for download, each unpacked in an empty folder.
class PackagingIT extends AbstractShellTest {

    private static final Path BUILD = Path.of("target").toAbsolutePath();
    /// A script that serves on free ports, adds an animal, lists it, and stops. Each test defines its function `serving`.
    private static final String TRY_SCRIPT = """
            set -eu
            ./petstore --version
            ./petstore serve --data "$DATA" --port 0 --admin-port 0 > "$DATA.out" 2> "$DATA.err" &
            trap 'kill -KILL $! 2> /dev/null || true' EXIT
            until grep -q ^Admin: "$DATA.out"; do kill -0 $!; sleep 0.1; done
            api=$(sed -n 's/^Petstore is ready: //p' "$DATA.out")
            key=$(sed -n 's/^First API key.*: //p' "$DATA.out")
            serving $!
            echo "$api"
            curl -sS --fail -H "Authorization: Bearer $key" -H 'Content-Type: application/json' \\
                -d '{"name":"Whiskers","categoryId":7}' "$api/pets"
            echo
            curl -sS --fail -H "Authorization: Bearer $key" "$api/pets"
            echo
            kill $!
            wait $!
            """;

    private static final List<String> AOT_CACHES = List.of("petstore.aot", "commands.aot");

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void archiveRunsFromAnEmptyFolder(boolean tls) throws IOException {
        Path home = unpack("petstore-" + version() + ".tar.gz");
        assertServes(home, tls, "serving() { :; }");
        assertThat(AOT_CACHES).allSatisfy(cache -> assertThat(home.resolve(cache)).doesNotExist());
    }

    /// The jar finds SQLite's library beside it.
    @Test
    void jarRunsWithoutLauncher() throws IOException {
        Path home = unpack("petstore-" + version() + ".tar.gz");
        Ending ending = shell.run("'" + System.getProperty("java.home") + "/bin/java' -jar '" + home
                + "/petstore.jar' keys create --name clerk --data plain");
        assertThat(ending.code()).as(ending.toString()).isZero();
        assertThat(ending.out()).singleElement().asString().startsWith("pets_");
    }

    /// There is no HOME or JAVA_HOME, and no Java in PATH. A Java in the usual folders must not run.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void archiveWithRuntimeNeedsNoInstalledJava(boolean tls) throws IOException {
        String name = "petstore-" + version() + "-linux-x86_64.tar.gz";
        assumeThat(BUILD.resolve(name)).as("built with -Pruntime").exists();
        Path home = unpack(name);
        String java = home.toRealPath().resolve("runtime/bin/java").toString();
        assertServes(home, tls, """
                unset JAVA_HOME HOME
                mkdir ../tools
                ln -s $(command -v sh bash dirname readlink grep sed sleep curl) ../tools
                PATH=$PWD/../tools
                hash -r
                if command -v java; then exit 1; fi
                serving() { [ "$(readlink /proc/$1/exe)" = '%s' ]; }
                """.formatted(java));
        for (String cache : AOT_CACHES) {
            Ending ending = new Shell(home)
                    .run("'" + java + "' -XX:AOTMode=on -XX:AOTCache=" + cache + " -jar petstore.jar --version");
            assertThat(ending.code()).as(cache + " is usable: " + ending).isZero();
            assertThat(ending.err()).isEmpty();
        }
        assertThat(new Shell(home).run("./petstore doctor --data new").out())
                .anyMatch(line -> line.matches("ok +aot cache +used"));
    }

    private void assertServes(Path home, boolean tls, String setUp) {
        assumeThat(Tools.isInstalled("curl")).as("curl is installed").isTrue();
        Ending ending = new Shell(home)
                .run("DATA='" + folder.resolve("data") + "'\n" + (tls ? useTls() : "") + setUp + "\n" + TRY_SCRIPT);
        assertThat(ending.code()).as(ending.toString()).isZero();
        assertThat(ending.out()).hasSize(4);
        assertThat(ending.out().getFirst()).startsWith("petstore " + version()).contains(", Java ");
        assertThat(ending.out().get(1)).startsWith(tls ? "https://" : "http://");
        assertThat(ending.out().get(2)).contains("\"id\":1,\"name\":\"Whiskers\"");
        assertThat(ending.out().getLast()).startsWith("[{\"id\":1,\"name\":\"Whiskers\"");
    }

    /// Returns shell commands that give the service a certificate, and make curl trust it.
    private String useTls() {
        TlsFiles files = TestCertificate.ec().write(folder);
        return "export PETSTORE_TLS_CERTIFICATE='" + files.certificate() + "' PETSTORE_TLS_KEY='" + files.key()
                + "' CURL_CA_BUNDLE='" + files.certificate() + "'\n";
    }

    @Test
    void archiveContainsFilesForOperators() throws IOException {
        Path home = unpack("petstore-" + version() + ".tar.gz");
        for (String file : List.of("LICENSE", "THIRD-PARTY", "bom.json", "README.md", "docs/deployment.md",
                "examples/animals.ndjson")) {
            assertThat(home.resolve(file)).isNotEmptyFile();
        }
        for (String system : List.of("Linux-x86_64", "Linux-aarch64", "Linux-Musl-x86_64", "Linux-Musl-aarch64")) {
            assertThat(home.resolve("lib/libsqlitejdbc-" + system + ".so")).isNotEmptyFile();
        }
        Ending modes = new Shell(home).run("find . -type f -perm /111; find . ! -perm -444; find . -perm /022");
        assertThat(modes.out()).containsExactlyInAnyOrder("./petstore", "./deploy/backup");
        Ending completion = new Shell(home).run("source completions/petstore && complete -p petstore");
        assertThat(completion.err()).isEmpty();
        assertThat(completion.out()).singleElement().asString().endsWith(" petstore");
    }

    @Test
    void documentsOfArchiveHaveNoDeadLinks() throws IOException {
        Path home = unpack("petstore-" + version() + ".tar.gz");
        List<Path> targets = new ArrayList<>();
        try (Stream<Path> files = Files.walk(home)) {
            for (Path document : files.filter(file -> file.toString().endsWith(".md")).toList()) {
                Pattern.compile("\\]\\(([^):#]+)[)#]").matcher(Files.readString(document)).results()
                        .forEach(link -> targets.add(document.resolveSibling(link.group(1))));
            }
        }
        assertThat(targets).isNotEmpty().allSatisfy(target -> assertThat(target).exists());
    }

    @ParameterizedTest
    @ValueSource(strings = {"swagger-ui", "picocli", "netty-common", "sqlite-jdbc", "opentelemetry-sdk"})
    void listsLibrariesInsideJar(String library) throws IOException {
        Path home = unpack("petstore-" + version() + ".tar.gz");
        assertThat(home.resolve("bom.json")).content().contains("\"name\" : \"" + library + "\"");
        assertThat(home.resolve("THIRD-PARTY")).content().contains(":" + library + ":");
    }

    @Test
    void jarContainsLicencesOfLibraries() throws IOException {
        try (JarFile jar = new JarFile(BUILD.resolve("petstore.jar").toFile())) {
            assertThat(jar.stream().map(JarEntry::getName))
                    .contains("petstore/http/docs/swagger-ui-bundle.js",
                            "petstore/http/docs/swagger-ui-bundle.js.LICENSE.txt",
                            "META-INF/maven/org.xerial/sqlite-jdbc/LICENSE",
                            "META-INF/libraries/postgresql/META-INF/LICENSE",
                            "META-INF/libraries/jackson-core/META-INF/NOTICE",
                            "META-INF/libraries/slf4j-api/META-INF/LICENSE.txt")
                    .noneMatch(name -> name.matches("META-INF/(LICENSE|NOTICE).*"));
        }
    }

    /// Java reads and maps an uncompressed jar faster. A class is in it once for each version of Java, and each provider of a service.
    @Test
    void jarIsUncompressedAndComplete() throws IOException {
        try (JarFile jar = new JarFile(BUILD.resolve("petstore.jar").toFile())) {
            assertThat(jar.stream()).allMatch(entry -> entry.getMethod() == ZipEntry.STORED);
            assertThat(jar.stream().map(JarEntry::getName)).doesNotHaveDuplicates()
                    .noneMatch(name -> name.endsWith("module-info.class") || name.startsWith("org/checkerframework/"))
                    .contains("org/sqlite/native/Mac/aarch64/libsqlitejdbc.dylib")
                    .doesNotContain("org/sqlite/native/Linux/x86_64/libsqlitejdbc.so");
            assertThat(new String(
                    jar.getInputStream(jar.getEntry("META-INF/services/com.fasterxml.jackson.core.JsonFactory"))
                            .readAllBytes(),
                    StandardCharsets.UTF_8)).hasLineCount(2);
        }
    }

    /// A build without git omits the commit.
    @Test
    void manifestNamesCommit() throws IOException {
        Path jar = unpack("petstore-" + version() + ".tar.gz").resolve("petstore.jar");
        Ending commit = new Shell(Path.of("").toAbsolutePath()).run("[ -e .git ] && git rev-parse HEAD");
        try (JarFile opened = new JarFile(jar.toFile())) {
            String build = opened.getManifest().getMainAttributes().getValue("Implementation-Build");
            if (commit.code() != 0) {
                assertThat(build).isNull();
            } else {
                assertThat(build).matches("[0-9a-f]{9,}(-dirty)?");
                assertThat(commit.out().getFirst()).startsWith(build.replace("-dirty", ""));
            }
        }
    }

    /// All settings are commented out. Each has the default that `petstore config` shows, or an example if it has no default.
    @Test
    void exampleConfigurationHasEverySetting() throws IOException {
        Path example = unpack("petstore-" + version() + ".tar.gz").resolve("petstore.env");
        List<String> shown = shell.run("petstore config").out().stream().skip(1)
                .map(line -> line.split(" +"))
                .map(row -> "#" + Variables.name(row[0]) + "=" + row[1].replaceAll("^-$", ""))
                .toList();
        List<String> others = Stream.of("API_KEY", "API_KEY_FILE", "DATABASE_PASSWORD", "DATABASE_PASSWORD_FILE",
                "JAVA_OPTIONS").map(name -> "#PETSTORE_" + name + "=").toList();
        assertThat(Files.readAllLines(example)).filteredOn(line -> line.startsWith("#PETSTORE_"))
                .map(line -> shown.contains(line) ? line : line.replaceFirst("=.*", "="))
                .containsExactlyElementsOf(Stream.concat(shown.stream(), others.stream()).toList());
        assertThat(Files.readAllLines(example)).allMatch(line -> line.isEmpty() || line.startsWith("#"));
    }

    private Path unpack(String archive) {
        Ending tar = shell.run("tar -xzf '" + BUILD.resolve(archive) + "'");
        assertThat(tar.code()).as(tar.toString()).isZero();
        return folder.resolve("petstore-" + version());
    }

    private static String version() {
        try {
            return Files.readAllLines(Path.of("pom.xml")).stream().map(String::strip)
                    .filter(line -> line.startsWith("<version>")).findFirst().orElseThrow().replaceAll("<[^>]*>", "");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
