package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.Shell;
import petstore.testkit.Tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/// The launcher in a checkout that is not built yet, with Maven or a stand-in for it.
@Tag("build")
class BuildIT {

    private static final String MAIN = "src/main/java/petstore/cli/Main.java";

    @TempDir
    private Path checkout;

    @BeforeEach
    void copySourcesToCheckout() {
        Path home = Path.of("").toAbsolutePath();
        assertThat(run("mkdir src && cd '" + home + "' && cp -R petstore pom.xml openapi.yaml \"$OLDPWD\" &&"
                + " cp -R src/main src/aot src/assembly src/build \"$OLDPWD/src\"").code()).isZero();
    }

    private Ending run(String script) {
        return new Shell(checkout).run(script);
    }

    /// Creates a stand-in for Maven, which runs these shell lines and then creates Maven's output files.
    ///
    /// @return the prefix of a command line that uses the stand-in
    private String mavenStandIn(String lines) throws IOException {
        Path mvn = Files.createDirectory(checkout.resolve("tools")).resolve("mvn");
        Files.writeString(mvn, """
                #!/bin/sh
                for argument; do
                    case $argument in
                        */pom.xml) home=${argument%/*} ;;
                        -Dbuild.folder=*) work=$home/${argument#*=} ;;
                    esac
                done
                """ + lines + "\n mkdir \"$work/lib\"; cd '" + Path.of("target").toAbsolutePath() + """
                '
                ln -s "$PWD"/lib/* "$work/lib" && ln -s "$PWD/petstore.jar" "$PWD"/*.aot "$PWD/jdk.release" "$work"
                """);
        assertThat(mvn.toFile().setExecutable(true)).isTrue();
        return "PATH='" + mvn.getParent() + "':$PATH; ";
    }

    /// After SIGKILL (kill -9), the lock is free and Maven ends.
    @Test
    void concurrentCommandsBuildOnceAfterKilledBuild() {
        assumeThat(Tools.isInstalled("pgrep")).as("pgrep is installed").isTrue();
        Ending killed = run(
                """
                        ./petstore --version > killed 2>&1 & launcher=$!
                        until [ -d .build/maven*/classes ]; do kill -0 $launcher || exit; sleep 0.1; done
                        pgrep -f "java .*classworlds.* $PWD/pom.xml" >/dev/null && echo Maven runs
                        kill -KILL $(pgrep -P $launcher)
                        wait $launcher
                        echo "killed: $?"
                        for second in $(seq 30); do
                            sleep 1
                            pgrep -f "java .*classworlds.* $PWD/pom.xml" >/dev/null || { echo Maven has ended; break; }
                        done
                        """);
        assertThat(killed.out()).containsExactly("Maven runs", "killed: 137", "Maven has ended");
        Ending concurrent = run(
                """
                        ./petstore --version 2> one & one=$!
                        ./petstore --version 2> two & two=$!
                        until grep -q waiting one two && grep -q building: one two; do kill -0 $one $two || exit; sleep 0.1; done
                        wait $one && wait $two
                        cat one two | grep -v building: | sed 's/ [0-9]* s$//' | sort
                        """);
        assertThat(concurrent.out()).filteredOn(line -> !line.startsWith("petstore 1"))
                .containsExactly("petstore: built in", "petstore: waiting for another build of this checkout");
        assertThat(concurrent.out()).filteredOn(line -> line.startsWith("petstore 1")).hasSize(2);
        assertServerSurvivesRebuild();
    }

    /// The build replaces the jar and the libraries while the server has not loaded all their classes.
    private void assertServerSurvivesRebuild() {
        assertThat(run("./petstore doctor").out()).anyMatch(line -> line.matches("ok +aot cache +used"));
        try (PetstoreProcess server = serve().awaitReady()) {
            assertThat(run("touch README.md pom.xml.bak openapi.yaml; mkdir docs src/test; ./petstore --version").err())
                    .isEmpty();
            assertThat(run("echo >> openapi.yaml; ./petstore --version").err()).last().asString()
                    .startsWith("petstore: built in ");
            assertThat(server.client("").get("/docs").statusCode()).isEqualTo(200);
            assertThat(server.client(server.firstKey().orElseThrow()).get("/v1/pets").statusCode()).isEqualTo(200);
            server.terminate();
            assertThat(server.ending().code()).isZero();
        }
    }

    private PetstoreProcess serve() {
        return PetstoreProcess.serveThrough(List.of("sh", "-c", "shift; exec '" + checkout + "/petstore' \"$@\"", "sh"),
                checkout.resolve("data"));
    }

    @Test
    void interruptStopsBuildAndNextCommandBuildsAgain() throws IOException {
        assumeThat(Tools.isInstalled("pgrep")).as("pgrep is installed").isTrue();
        try (PetstoreProcess server = serve()) {
            await().atMost(Duration.ofMinutes(1)).until(() -> run("ls -d .build/maven*/classes").code() == 0);
            server.signal("INT");
            Ending ending = server.ending();
            assertThat(ending.code()).isEqualTo(130);
            assertThat(ending.err()).last()
                    .isEqualTo("petstore: the build was stopped; the next command begins it anew");
        }
        assertThat(run("pgrep -f '^[^ ]*java .*" + checkout + "'").out()).isEmpty();
        assertThat(checkout.resolve(".build/stamp")).doesNotExist();

        Files.writeString(checkout.resolve(MAIN), "klass", StandardOpenOption.APPEND);
        assertBuildFails("./petstore --version",
                "\\[ERROR] .*" + MAIN + ":\\[[0-9]+,[0-9]+] reached end of file while parsing");
    }

    @Test
    void worksInFolderThatUserMayNotRead() throws IOException {
        assumeThat(Tools.isInstalled("setpriv") && "root".equals(System.getProperty("user.name")))
                .as("root can run commands as another user").isTrue();
        run(mavenStandIn("") + "./petstore --version; chmod -R go+rX .");
        Ending ending = run("mkdir mine && cd mine && chmod 0 . && setpriv --reuid=nobody --regid=65534 --clear-groups"
                + " \"$OLDPWD/petstore\" --version");
        assertThat(ending.out()).singleElement().asString().startsWith("petstore ");
        assertThat(ending.err()).isEmpty();
    }

    @Test
    void reportsCauseIfMavenIsMissingOrFails() throws IOException {
        assertFails(
                "mkdir tools; ln -s $(command -v sh find cksum readlink locale id) tools; PATH=$PWD/tools ./petstore --version",
                "this checkout must be built, and Maven \\(mvn\\) was not found; install Maven 3.8 or later: .*");
        Files.createDirectory(checkout.resolve(".mvn"));
        Files.writeString(checkout.resolve(".mvn/maven.config"), "-o\n");
        assertBuildFails("MAVEN_OPTS=-Dmaven.repo.local=$PWD/empty ./petstore --version",
                "\\[ERROR] \\[ERROR] Some problems were encountered while processing the POMs.*");
        assertBuildFails("MAVEN_OPTS=-Dmaven.repo.local=/dev/null/none ./petstore --version",
                "\\[ERROR] Could not create local repository at /dev/null/none .*");
        assertBuildFails("MAVEN_OPTS=-XX:Foo ./petstore --version", "Unrecognized VM option 'Foo'");
    }

    /// The locale's encoding may not support the characters of the path.
    @Test
    void buildsInFolderWithSpaceAndUmlautInName() throws IOException {
        Ending ending = run(mavenStandIn("")
                + """
                        folder=$(printf 'K\\303\\244fig 1') && mkdir "$folder" && mv petstore pom.xml openapi.yaml src "$folder" && cd "$folder"
                        unset LANG LC_CTYPE; LC_ALL=C ./petstore --version; echo >> openapi.yaml; LC_ALL=POSIX ./petstore --version""");
        assertThat(ending.code()).as(ending.toString()).isZero();
        assertThat(ending.out()).hasSize(2);
    }

    /// Files that tar, cp -p or rsync -a write keep older times, and a clock that is ahead makes future ones.
    @Test
    void buildsAgainIfNamesOrContentsOfSourcesChangeAtAnyTime() throws IOException {
        Ending ending = run(mavenStandIn("")
                + """
                        count() { echo "$1: $(./petstore --version 2>&1 | grep -c '^petstore: built in')"; }
                        tar -cf old.tar openapi.yaml; resource=src/main/resources/petstore/http/docs
                        count first
                        sed -i s/Petstore/petstorE/ openapi.yaml; touch -d '-1 year' openapi.yaml; count 'same size, older'
                        tar -xf old.tar; count 'rolled back'
                        mv $resource/copy.svg $resource/paste.svg; touch -d '-1 year' $resource; count renamed
                        rm $resource/paste.svg; touch -d '-1 year' $resource; count deleted
                        touch -d '+1 day' src/main/java pom.xml; touch openapi.yaml; count touched; count unchanged
                        """);
        assertThat(ending.out()).containsExactly("first: 1", "same size, older: 1", "rolled back: 1",
                "renamed: 1", "deleted: 1", "touched: 0", "unchanged: 0");
    }

    /// Files of earlier builds, and escape codes for terminals, do not disturb a build.
    @Test
    void buildsAgainIfSourceChangesDuringBuild() throws IOException {
        Ending ending = run(
                mavenStandIn("[ -e \"$home/changed\" ] || echo | tee -a \"$home/changed\" >> \"$home/openapi.yaml\"\n"
                        + "printf '\\033[0m\\033[1mApache Maven\\033[m 3.8.7\\n\\033[0m'")
                        + """
                                mkdir -p .build/maven; sleep 100 & printf %s $! > .build/maven.pid
                                ./petstore --version; ./petstore --version; ./petstore --version
                                kill $! && tr '\\033' ^ < .build/build.log; ls -d .build/maven*
                                """);
        assertThat(ending.err()).as(ending.toString()).filteredOn(line -> line.startsWith("petstore: built in"))
                .hasSize(2);
        assertThat(ending.out().subList(3, ending.out().size())).containsExactly("Apache Maven 3.8.7", "");
    }

    /// The JDK's training exits with 0 also if it makes a cache that Java cannot use, or none.
    @ParameterizedTest
    @ValueSource(strings = {"exit 0", "echo none > \"$cache\"; exit 0"})
    void failsWithoutUsableCache(String dump) throws IOException {
        Path java = Files.createDirectory(checkout.resolve("bin")).resolve("java");
        Files.writeString(java, """
                #!/bin/sh
                for argument; do
                    case $argument in
                        -Xshare:dump) dump=true ;;
                        -XX:SharedArchiveFile=*) cache=${argument#*=} ;;
                    esac
                done
                [ -z "${dump:-}" ] || { %s; }
                exec '%s/bin/java' "$@"
                """.formatted(dump, System.getProperty("java.home")));
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Ending ending = run("ln -s '" + Path.of("target").toAbsolutePath() + "'/{petstore.jar,lib} . && '"
                + System.getProperty("java.home")
                + "/bin/java' src/aot/Training.java . bin/java");
        assertThat(ending.code()).isEqualTo(1);
        assertThat(ending.err()).first().asString().startsWith("Training: Java cannot use ").endsWith("/petstore.aot");
    }

    @Test
    void reportsInternalErrorInOneLine() throws IOException {
        assertFails(mavenStandIn("echo '[INFO] Downloaded from central: https://c/a.jar (1.2.3 kB at 1 kB/s)'")
                + "./petstore --version",
                "the build failed: java.lang.NumberFormatException: multiple points");
    }

    /// By default git refuses the checkout of another user, e.g. if root builds.
    @Test
    void recordsCommitOfCheckoutOwnedByAnotherUser() throws IOException {
        Matcher command = Pattern.compile("<argument>(.*git .*)</argument>")
                .matcher(Files.readString(checkout.resolve("pom.xml")));
        assertThat(command.find()).isTrue();
        Files.writeString(checkout.resolve("name"), command.group(1).replace("&amp;", "&"));
        assumeThat(run(
                "git init -q && git -c user.name=a -c user.email=b commit -q --allow-empty -m c && chown -R 65534 .")
                .code())
                .as("only root can change the owner of a checkout").isZero();
        assertThat(run("HOME=$PWD sh name").out()).last().asString()
                .matches("Implementation-Build: [0-9a-f]{9}");
    }

    @Test
    void reportsMissingSpaceWritePermissionOrJava() {
        assumeThat(run("unshare -m true").code()).as("only root can create a mount namespace").isZero();
        String mount = "mkdir -p .build; export MOUNT='mount -t tmpfs none'; unshare -m sh -c ";
        assertFails(mount + "'$MOUNT -o size=50m .build; ./petstore --version'",
                "the build needs 150 MB in .*/\\.build, where [0-9]+ MB are free");
        assertFails(mount + "'$MOUNT -o ro .build; ./petstore --version'",
                "this checkout must be built, and its folder cannot be written; .*: Read-only file system");
        Ending noJava = run("unset JAVA_HOME HOME; " + mount + "'$MOUNT /usr/lib/jvm; ./petstore --version'");
        assertThat(noJava.code()).isEqualTo(1);
        assertThat(noJava.err()).hasSizeLessThanOrEqualTo(10).first().asString()
                .isEqualTo(
                        "petstore: Java 25 or later was not found (looked at JAVA_HOME, PATH and the usual folders).");
        assertThat(noJava.err()).anyMatch(line -> line.contains("apt install openjdk-25-jdk"))
                .anyMatch(line -> line.contains("sdk install java"))
                .anyMatch(line -> line.contains("docker build"));
        Ending noCompiler = run(
                "mkdir -p jre/bin; echo 'JAVA_VERSION=\"25\"' > jre/release; ln -s /bin/true jre/bin/java;"
                        + " export JAVA_HOME=$PWD/jre; unset HOME; " + mount
                        + "'$MOUNT /usr/lib/jvm; ./petstore --version'");
        assertThat(noCompiler.err()).hasSizeLessThanOrEqualTo(10).first().asString()
                .endsWith("jre/bin/java has no compiler.");
    }

    /// A terminal gets one line that is rewritten; other outputs get whole lines. Neither gets escape codes.
    @Test
    void rewritesProgressLineOnTerminalOnly() {
        assumeThat(Tools.isInstalled("script")).as("script is installed").isTrue();
        String failing = "mkdir .mvn; echo -o > .mvn/maven.config; export MAVEN_OPTS=-Dmaven.repo.local=$PWD/empty; ";
        Ending terminal = run(failing + "script -qec './petstore --version' /dev/null | tr '\\r\\033' '<^'");
        assertThat(terminal.out()).first().asString().startsWith("<petstore: building: starting Maven, 0 s")
                .endsWith("<");
        assertThat(String.join("\n", terminal.out()))
                .contains("<[ERROR]", "\npetstore: the build failed with exit code 1; ")
                .doesNotContain("^");
        Ending plain = run(failing + "./petstore --version 2>&1 | tr '\\r\\033' '<^'");
        assertThat(plain.out()).first().isEqualTo("petstore: building: starting Maven");
        assertThat(plain.out()).noneMatch(line -> line.contains("<") || line.contains("^"));
    }

    @Test
    void cutsProgressLineToTerminalWidth() throws IOException {
        assumeThat(Tools.isInstalled("script")).as("script is installed").isTrue();
        Ending terminal = run(mavenStandIn("sleep 2; echo '[INFO] --- exec:3:exec (aot-caches) @ petstore ---'")
                + "script -qec 'stty cols 40; PETSTORE_JAVA_OPTIONS=-XshowSettings:properties ./petstore --version' /dev/null | tr '\\r' '\\n'");
        assertThat(terminal.out()).filteredOn(line -> line.startsWith("petstore: building")).hasSizeGreaterThan(2)
                .allMatch(line -> line.length() < 40).first().isEqualTo("petstore: building: starting Maven, 0 s");
        assertThat(terminal.out()).anyMatch(line -> line.matches("petstore: building: making the ca[^,]*, [0-9]+ s"));
        assertThat(terminal.out()).contains("    petstore.columns = 40", "    petstore.command = ./petstore");
    }

    /// Asserts that one line has the reason, after those of the phases.
    private void assertFails(String script, String reason) {
        assertThat(failure(script)).singleElement().asString().matches("petstore: " + reason);
    }

    /// Asserts that a line is among the first errors in Maven's log.
    private void assertBuildFails(String script, String logged) {
        List<String> lines = failure(script);
        assertThat(lines).hasSizeBetween(2, 11).anyMatch(line -> line.matches(logged)).last().asString()
                .isEqualTo("petstore: the build failed with exit code 1; the whole log: " + checkout
                        + "/.build/build.log");
    }

    private List<String> failure(String script) {
        Ending ending = run(script);
        assertThat(ending.code()).as(ending.toString()).isEqualTo(1);
        assertThat(ending.out()).isEmpty();
        return ending.err().stream().filter(line -> !line.startsWith("petstore: building: ")).toList();
    }
}
