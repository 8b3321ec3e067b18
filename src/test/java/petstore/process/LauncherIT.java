package petstore.process;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.testkit.ApiClient;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;

import static org.assertj.core.api.Assertions.assertThat;

/// The JVM options that the launcher adds to those of the environment. Java itself prints the resulting flags.
class LauncherIT extends AbstractShellTest {

    /// Starts the JVM without the program.
    private static final String START_NOTHING = "PETSTORE_JAVA_OPTIONS=\"${PETSTORE_JAVA_OPTIONS:-} --dry-run\" petstore --version";

    private Ending run(String environment, String command) {
        return shell.run("unset PETSTORE_JAVA_OPTIONS; export " + environment + "; " + command);
    }

    /// Each row has an environment and the flags that it sets. All other flags have the launcher's defaults.
    @ParameterizedTest
    @CsvSource(delimiterString = " | ", textBlock = """
            PETSTORE_JAVA_OPTIONS=                             | UseSerialGC=true
            JAVA_TOOL_OPTIONS=-XX:+UseG1GC                     | UseG1GC=true UseSerialGC=false
            JDK_JAVA_OPTIONS=-XX:+UseG1GC                      | UseG1GC=true UseSerialGC=false
            _JAVA_OPTIONS=-XX:+UseG1GC                         | UseG1GC=true UseSerialGC=false
            PETSTORE_JAVA_OPTIONS=-XX:+UseG1GC                 | UseG1GC=true UseSerialGC=false
            JDK_JAVA_OPTIONS='"-XX:+UseG1GC"'                  | UseG1GC=true UseSerialGC=false
            JAVA_TOOL_OPTIONS='-XX:-UseSerialGC -XX:+UseParallelGC' | UseSerialGC=false UseParallelGC=true
            JAVA_TOOL_OPTIONS=-XX:MaxGCPauseMillis=50          | MaxGCPauseMillis=50
            JAVA_TOOL_OPTIONS=-Xmx64m                          | MaxHeapSize=67108864 MaxRAMPercentage=25.000000
            PETSTORE_JAVA_OPTIONS=-Xmx0048M                    | MaxHeapSize=50331648 MaxRAMPercentage=25.000000
            PETSTORE_JAVA_OPTIONS=-XX:InitialHeapSize=65536k   | InitialHeapSize=67108864
            JAVA_TOOL_OPTIONS=-Xms64m                          | InitialHeapSize=67108864
            _JAVA_OPTIONS='-Xms256m -Xmx512m'                  | InitialHeapSize=268435456 MaxHeapSize=536870912 MaxRAMPercentage=25.000000
            JAVA_TOOL_OPTIONS=-Xmn8m                           | NewSize=8388608 MaxNewSize=8388608
            JAVA_TOOL_OPTIONS='-XX:MaxNewSize=8m'              | MaxNewSize=8388608 NewSize=8388608
            JDK_JAVA_OPTIONS='-XX:MaxRAM=1g -XX:MaxRAMPercentage=75' | MaxHeapSize=805306368 MaxRAMPercentage=75.000000
            JAVA_TOOL_OPTIONS=-XX:-ExitOnOutOfMemoryError      | ExitOnOutOfMemoryError=false
            JAVA_TOOL_OPTIONS=-XX:TieredStopAtLevel=3          | TieredStopAtLevel=3""")
    void appliesDefaultsThatNoVariableOverrides(String environment, String flagsOfEnvironment) {
        Ending ending = run(environment + "; export JAVA_TOOL_OPTIONS=\"${JAVA_TOOL_OPTIONS:-} -XX:+PrintFlagsFinal\"",
                START_NOTHING);
        assertThat(ending.code()).as(ending.toString()).isZero();
        Map<String, String> flags = ending.err().stream().map(line -> line.strip().split(" += +| +", 4))
                .filter(words -> words.length == 4)
                .collect(Collectors.toMap(words -> words[1], words -> words[2], (first, second) -> second));
        Map<String, String> expected = flags(
                "UseSerialGC=true MaxRAMPercentage=12.500000 InitialHeapSize=50331648 NewSize=25165824 MaxNewSize=25165824"
                        + " ExitOnOutOfMemoryError=true TieredStopAtLevel=1");
        expected.putAll(flags(flagsOfEnvironment));
        assertThat(flags).containsAllEntriesOf(expected);
    }

    /// PostgreSQL may not know the name of the machine's time zone, which the driver would send.
    @Test
    void runsInUtc() {
        assertThat(run("TZ=US/Eastern JDK_JAVA_OPTIONS=-XshowSettings:properties", START_NOTHING).err())
                .anyMatch(line -> line.strip().equals("user.timezone = UTC"));
    }

    private static Map<String, String> flags(String text) {
        return List.of(text.split(" ", 0)).stream().map(flag -> flag.split("=", 2))
                .collect(Collectors.toMap(flag -> flag[0], flag -> flag[1]));
    }

    /// Java agrees: the cache has the program's class exactly if the launcher says that the cache is used.
    private void assertCache(String cache, Ending ending) {
        assertThat(ending.out()).as(ending.toString())
                .anyMatch(line -> line.matches("(ok|warn) +aot cache +" + Pattern.quote(cache)));
        assertThat(ending.out()).last().asString().matches(".* petstore.cli.Main source: "
                + (cache.equals("used") ? "shared objects file" : "(jar:)?file:/.*"));
    }

    @ParameterizedTest
    @CsvSource(delimiterString = " | ", textBlock = """
            PETSTORE_JAVA_OPTIONS=                               | used
            JAVA_TOOL_OPTIONS=-XX:+UseG1GC                       | used
            JAVA_TOOL_OPTIONS=-XX:+UseParallelGC                 | used
            JDK_JAVA_OPTIONS='--module-path .'                   | not used: --module-path is set
            PETSTORE_JAVA_OPTIONS='-Xmx31g -XX:AOTMode=on'       | used
            PETSTORE_JAVA_OPTIONS=-XX:MaxRAM=400g                | used
            PETSTORE_JAVA_OPTIONS=-Xmx32g                        | not used: -Xmx32g is set
            JDK_JAVA_OPTIONS='"-Xmx32g"'                         | not used: "-Xmx32g" is set
            PETSTORE_JAVA_OPTIONS=-Xmx32768m                     | not used: -Xmx32768m is set
            PETSTORE_JAVA_OPTIONS=-XX:MaxHeapSize=34359738368    | not used: -XX:MaxHeapSize is set
            PETSTORE_JAVA_OPTIONS=-XX:AOTMode=off                | not used: -XX:AOTMode is set
            JAVA_TOOL_OPTIONS=-Xshare:auto                       | not used: -Xshare:auto is set
            JAVA_TOOL_OPTIONS=-Dcom.sun.management.jmxremote     | not used: -Dcom.sun.management.jmxremote is set
            _JAVA_OPTIONS=-agentlib:jdwp=transport=dt_socket,server=y,suspend=n | not used: -agentlib:jdwp is set
            JAVA_TOOL_OPTIONS=-XX:StartFlightRecording=delay=1h  | not used: -XX:StartFlightRecording is set
            JAVA_TOOL_OPTIONS=-XX:+UseZGC                        | not used: -XX:+UseZGC is set
            JDK_JAVA_OPTIONS='--add-opens java.base/java.lang=ALL-UNNAMED' | not used: --add-opens is set
            JDK_JAVA_OPTIONS='--add-modules java.xml'            | not used: --add-modules is set
            JDK_JAVA_OPTIONS=--limit-modules=java.se,jdk.unsupported,jdk.management | not used: --limit-modules is set
            JDK_JAVA_OPTIONS=--enable-native-access=ALL-UNNAMED  | not used: --enable-native-access is set
            JAVA_TOOL_OPTIONS=-Xbootclasspath/a:.                | not used: -Xbootclasspath/a:. is set
            JAVA_TOOL_OPTIONS=-XX:+UseCompactObjectHeaders       | not used: -XX:+UseCompactObjectHeaders is set
            JAVA_TOOL_OPTIONS=-XX:-UseCompressedOops             | not used: -XX:-UseCompressedOops is set
            JAVA_TOOL_OPTIONS=-XX:ObjectAlignmentInBytes=16      | not used: -XX:ObjectAlignmentInBytes is set""")
    void leavesCacheOutBesideOptionsForWhichJavaRejectsIt(String environment, String cache) {
        assertCache(cache,
                run(environment + "; export JDK_JAVA_OPTIONS=\"${JDK_JAVA_OPTIONS:-} -Xlog:class+load:file=classes\"",
                        "petstore doctor --data new; grep ' petstore.cli.Main source:' classes"));
    }

    /// Java would trust profiles of the training, and not optimize the service (findings/java-aot-cache-keeps-c1.sh).
    @Test
    void cacheHasNoProfilesOfMethods() {
        Ending ending = run("JDK_JAVA_OPTIONS='-XX:+UnlockDiagnosticVMOptions -XX:+AOTPrintTrainingInfo'",
                "petstore serve --help");
        assertThat(ending.err()).contains("Archived TrainingData Dictionary");
        // Not the lines themselves: the message would have thousands.
        assertThat(ending.err().stream().filter(line -> line.contains(" mdo=")).count()).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiterString = " | ", textBlock = """
            true                             | used
            touch petstore.jar               | not used: petstore.jar was exchanged, or copied without its time; delete .build, or unpack the archive again
            touch -d '-1 day' petstore.jar   | not used: petstore.jar was exchanged, or copied without its time; delete .build, or unpack the archive again
            echo 'A="B"' >> jdk.release      | not used: it was made for another JDK; delete .build, or unpack the archive again
            rm jdk.release                   | not used: it was made for another JDK; delete .build, or unpack the archive again
            rm *.aot                         | not used: this folder has none""")
    void usesCacheOnlyWithItsJarAndJdk(String change, String cache) {
        assertCache(cache, run("JDK_JAVA_OPTIONS=-Xlog:class+load:file=classes",
                "mkdir 'a copy'; cd 'a copy'; home=$(dirname \"$(command -v petstore)\")\n"
                        + "cp -pR \"$home\"/{petstore,petstore.jar,lib,petstore.aot,commands.aot,jdk.release} . && "
                        + change
                        + " && ./petstore doctor --data new; grep ' petstore.cli.Main source:' classes"));
    }

    @ParameterizedTest
    @CsvSource({"-Xshare:auto", "-XX:SharedArchiveFile=none.jsa", "-XX:AOTMode=off",
            "-XX:AOTCacheOutput=own.aot", "-Xint",
            "-XX:+AggressiveHeap",
            "--sun-misc-unsafe-memory-access=warn", "-XX:InitialRAMPercentage=60"})
    void startsWithOtherJvmOptions(String options) {
        Ending ending = run("JDK_JAVA_OPTIONS='" + options + "'", "petstore --version");
        assertThat(ending.code()).as(ending.toString()).isZero();
        assertThat(ending.out()).anyMatch(line -> line.startsWith("petstore "));
    }

    /// By default, an eighth of the memory, of which at most 512 MB are used.
    @ParameterizedTest
    @CsvSource({"-XX:+UseSerialGC, 120, 512", "-Xmx1g, 1000, 1024"})
    void usesSizeOfHeapThatIsSet(String option, int least, int most) {
        Ending ending = run("PETSTORE_JAVA_OPTIONS=" + option, "petstore doctor --data new");
        assertThat(ending.out()).filteredOn(line -> line.contains("a heap of up to "))
                .map(line -> Integer.parseInt(line.replaceAll(".*a heap of up to (\\d+) MiB.*", "$1"))).singleElement()
                .satisfies(mib -> assertThat(mib).isBetween(least, most));
    }

    @ParameterizedTest
    @CsvSource({"-Xmx1.5g, Invalid maximum heap size: -Xmx1.5g", "-Xms64q, Invalid initial heap size: -Xms64q",
            "-Xmx64m -Xms1g, Initial heap size set to a larger value than the maximum heap size"})
    void javaRefusesImpossibleSizes(String options, String reason) {
        Ending ending = run("PETSTORE_JAVA_OPTIONS='" + options + "'", "petstore --version");
        assertThat(ending.code()).isEqualTo(1);
        assertThat(ending.out()).isEmpty();
        assertThat(ending.err()).contains(reason);
    }

    /// Suggested commands repeat the name by which the user called the program. Without a terminal, the launcher passes no width.
    @Test
    void passesNameOfProgramToJava() {
        Ending ending = run("PETSTORE_JAVA_OPTIONS=-XshowSettings:properties",
                """
                        ln -s "$(command -v petstore)" pets
                        petstore --version; "$(command -v petstore)" --version; ./pets --version; sh pets --version; PATH=$PWD:$PATH; pets --version
                        """);
        assertThat(ending.err()).map(String::strip).filteredOn(line -> line.startsWith("petstore.command"))
                .containsExactly("petstore.command = petstore", "petstore.command = petstore",
                        "petstore.command = ./pets", "petstore.command = ./pets", "petstore.command = pets");
    }

    @Test
    void servesWithSmallestAllowedHeap() {
        try (PetstoreProcess server = PetstoreProcess
                .serve(Map.of("PETSTORE_JAVA_OPTIONS", "-Xmx48m"), folder.resolve("data")).awaitReady()) {
            ApiClient client = server.client(server.firstKey().orElseThrow());
            assertThat(client.get("/v1/pets").statusCode()).isEqualTo(200);
        }
    }
}
