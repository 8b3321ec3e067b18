package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.Shell;
import petstore.testkit.Tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/// The launcher in a checkout that has to be built, with Maven itself.
@Tag("build")
class BuildIT {

    private static final String MAIN = "src/main/java/petstore/cli/Main.java";

    @TempDir
    private Path checkout;

    @BeforeEach
    void copyWhatIsBuilt() {
        Path home = Path.of("").toAbsolutePath();
        assertThat(run("mkdir src && cd '" + home + "' && cp -R petstore pom.xml openapi.yaml \"$OLDPWD\" &&"
                + " cp -R src/main src/aot src/build \"$OLDPWD/src\"").code()).isZero();
    }

    private Ending run(String script) {
        return new Shell(checkout).run(script);
    }

    /// The lock is free after kill -9, and Maven, which survives it, does not get in the way of the next build.
    @Test
    void commandsBuildOnceAfterAKill() {
        assumeThat(Tools.have("pgrep")).as("there is pgrep").isTrue();
        Ending killed = run(
                """
                        ./petstore --version > killed 2>&1 & launcher=$!
                        until [ -d .build/maven/classes ]; do kill -0 $launcher || exit; sleep 0.1; done
                        kill -KILL $(pgrep -P $launcher)
                        wait $launcher
                        echo "killed: $?"
                        grep -qs '^State:.[^Z]' /proc/$(cat .build/maven.pid)/status && echo Maven runs
                        """);
        assertThat(killed.out()).containsExactly("killed: 137", "Maven runs");
        Ending twice = run(
                """
                        maven=$(cat .build/maven.pid)
                        ./petstore --version 2> one & one=$!
                        ./petstore --version 2> two & two=$!
                        until grep -q waiting one two && grep -q building: one two; do kill -0 $one $two || exit; sleep 0.1; done
                        grep -qs '^State:.[^Z]' /proc/$maven/status || echo Maven has ended
                        wait $one && wait $two
                        cat one two | grep -v building: | sed 's/ [0-9]* s$//' | sort
                        """);
        assertThat(twice.out()).filteredOn(line -> !line.startsWith("petstore 1"))
                .containsExactly("Maven has ended", "petstore: built in",
                        "petstore: waiting for another build of this checkout");
        assertThat(twice.out()).filteredOn(line -> line.startsWith("petstore 1")).hasSize(2);
        theServerOutlivesANewBuild();
    }

    /// The jar and the libraries are replaced beside a server that has not loaded all of them.
    private void theServerOutlivesANewBuild() {
        try (PetstoreProcess server = serve().awaitReady()) {
            assertThat(run("touch README.md pom.xml.bak; mkdir docs src/test; ./petstore --version").err()).isEmpty();
            assertThat(run("touch openapi.yaml; ./petstore --version").err()).last().asString()
                    .startsWith("petstore: built in ");
            assertThat(server.client("").get("/docs").statusCode()).isEqualTo(200);
            assertThat(server.client(server.firstKey().orElseThrow()).get("/v1/pets").statusCode()).isEqualTo(200);
            server.terminate();
            assertThat(server.ending().code()).isZero();
        }
    }

    private PetstoreProcess serve() {
        return PetstoreProcess.serveBy(List.of("sh", "-c", "shift; exec '" + checkout + "/petstore' \"$@\"", "sh"),
                checkout.resolve("data"));
    }

    @Test
    void anInterruptLeavesNothingBuilt() throws IOException {
        try (PetstoreProcess server = serve()) {
            await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(checkout.resolve(".build/maven/classes")));
            server.signal("INT");
            Ending ending = server.ending();
            assertThat(ending.code()).isEqualTo(130);
            assertThat(ending.err()).last()
                    .isEqualTo("petstore: the build was stopped; the next command begins it anew");
        }
        assertThat(run("grep '^State:.[^Z]' /proc/$(cat .build/maven.pid)/status").out()).isEmpty();
        assertThat(checkout.resolve(".build/stamp")).doesNotExist();

        Files.writeString(checkout.resolve(MAIN), "klass", StandardOpenOption.APPEND);
        fails("./petstore --version", MAIN + ":[0-9]+: reached end of file while parsing");
    }

    @Test
    void namesWhatMavenLacks() throws IOException {
        fails("mkdir tools; ln -s $(command -v sh find readlink locale id) tools; PATH=$PWD/tools ./petstore --version",
                "this checkout has to be built, and Maven \\(mvn\\) was not found; install Maven 3.8 or later: .*");
        Files.createDirectory(checkout.resolve(".mvn"));
        Files.writeString(checkout.resolve(".mvn/maven.config"), "-o\n");
        fails("MAVEN_OPTS=-Dmaven.repo.local=$PWD/empty ./petstore --version",
                "check the network, and the proxy in Maven's settings.xml: Cannot access central .* in offline mode .*");
    }

    @Test
    void namesWhatTheMachineLacks() {
        assumeThat(run("unshare -m true").code()).as("root may have a mount table of its own").isZero();
        String mount = "mkdir -p .build; export MOUNT='mount -t tmpfs none'; unshare -m sh -c ";
        fails(mount + "'$MOUNT -o size=50m .build; ./petstore --version'",
                "the build needs 150 MB in .*/\\.build, where [0-9]+ MB are free");
        fails(mount + "'$MOUNT -o ro .build; ./petstore --version'",
                "this checkout has to be built, and its folder cannot be written; .*: Read-only file system");
        Ending noJava = run("unset JAVA_HOME HOME; " + mount + "'$MOUNT /usr/lib/jvm; ./petstore --version'");
        assertThat(noJava.code()).isEqualTo(1);
        assertThat(noJava.err()).hasSizeLessThanOrEqualTo(10).first().asString()
                .isEqualTo(
                        "petstore: Java 25 or later was not found (looked at JAVA_HOME, PATH and the usual folders).");
        assertThat(noJava.err()).anyMatch(line -> line.contains("apt install openjdk-25-jdk"))
                .anyMatch(line -> line.contains("brew install")).anyMatch(line -> line.contains("sdk install java"))
                .anyMatch(line -> line.contains("docker build"));
        Ending noCompiler = run(
                "mkdir -p jre/bin; echo 'JAVA_VERSION=\"25\"' > jre/release; ln -s /bin/true jre/bin/java;"
                        + " export JAVA_HOME=$PWD/jre; unset HOME; " + mount
                        + "'$MOUNT /usr/lib/jvm; ./petstore --version'");
        assertThat(noCompiler.err()).hasSizeLessThanOrEqualTo(10).first().asString()
                .endsWith("jre/bin/java has no compiler.");
    }

    /// A terminal gets one line that is rewritten, everything else whole lines; neither gets escape codes.
    @Test
    void rewritesALineOnATerminalAlone() {
        assumeThat(Tools.have("script")).as("there is script").isTrue();
        String failing = "mkdir .mvn; echo -o > .mvn/maven.config; export MAVEN_OPTS=-Dmaven.repo.local=$PWD/empty; ";
        Ending terminal = run(failing + "script -qec './petstore --version' /dev/null | tr '\\r\\033' '<^'");
        assertThat(terminal.out()).first().asString().startsWith("<petstore: building: starting Maven, 0 s")
                .endsWith("<");
        assertThat(String.join("\n", terminal.out())).contains("<petstore: the build failed: ").doesNotContain("^");
        Ending plain = run(failing + "./petstore --version 2>&1 | tr '\\r\\033' '<^'");
        assertThat(plain.out()).first().isEqualTo("petstore: building: starting Maven");
        assertThat(plain.out()).noneMatch(line -> line.contains("<") || line.contains("^"));
    }

    /// One line says why, perhaps after the steps, and perhaps before the name of the log.
    private void fails(String script, String reason) {
        Ending ending = run(script);
        assertThat(ending.code()).as(ending.toString()).isEqualTo(1);
        assertThat(ending.out()).isEmpty();
        List<String> lines = ending.err().stream().filter(line -> !line.startsWith("petstore: building: ")).toList();
        assertThat(lines).first().asString().matches("petstore: (the build failed: )?" + reason);
        assertThat(lines.size()).isLessThanOrEqualTo(2);
        assertThat(lines.subList(1, lines.size()))
                .allMatch(line -> line.equals("petstore: the whole log: " + checkout + "/.build/build.log"));
    }
}
