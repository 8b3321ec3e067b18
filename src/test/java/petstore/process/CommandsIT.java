package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.Shell;
import petstore.testkit.Tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/// Further commands of the real program: their output to a terminal and to a pipe, their messages and exit codes.
class CommandsIT extends AbstractShellTest {

    private static final String EXAMPLES = Path.of("examples/animals.ndjson").toAbsolutePath().toString();

    /// Java connects to such an address by the name of the machine, which may not resolve.
    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "0:0::0"})
    void healthcheckReachesAddressForAllInterfaces(String host) {
        String nameless = "unshare --map-root-user --uts sh -c 'hostname unknown.invalid && exec \"$@\"' sh ";
        assumeThat(shell.run(nameless + "true").code()).as("needs namespaces of Linux").isZero();
        try (PetstoreProcess server = PetstoreProcess.serve(shell.data()).awaitReady()) {
            assertThat(shell.run(
                    nameless + "petstore healthcheck --admin-host " + host + " --admin-port " + server.adminPort()))
                    .isEqualTo(new Ending(0, List.of(), List.of("Ready")));
        }
    }

    @Test
    void healthcheckReportsReadiness() {
        try (PetstoreProcess server = PetstoreProcess.serve(shell.data()).awaitReady()) {
            assertThat(shell.run("petstore healthcheck --admin-port " + server.adminPort()))
                    .isEqualTo(new Ending(0, List.of(), List.of("Ready")));
        }
    }

    @Test
    void failsIfStdoutCannotBeWritten() {
        Ending served = shell.run("petstore serve --port 0 --admin-port 0 > /dev/full");
        assertThat(served.code()).isEqualTo(1);
        assertThat(served.err()).last().asString()
                .matches("petstore: the key (\\w{10}) was made, but stdout cannot be written;"
                        + " 'petstore keys rotate \\1 --data .*' shows another");
        assertThat(shell.run("petstore keys list > /dev/full"))
                .isEqualTo(new Ending(1, List.of(), List.of("petstore: stdout cannot be written")));
    }

    /// A full disk is recognised by the text of the system's error.
    @Test
    void worksInOtherLanguage() {
        String german = "env LOCPATH=$PWD/locale LC_ALL=de_DE.UTF-8 ";
        assumeThat(shell.run("mkdir locale && localedef -i de_DE -f UTF-8 locale/de_DE.UTF-8 && " + german
                + "cat /none").err()).as("messages in German").singleElement().asString().startsWith("cat: ")
                .doesNotContain("No such");
        CommandLines.run(shell.data(), "import", EXAMPLES);
        assertThat(shell.run(german + "petstore export /dev/full").err()).containsExactly(
                "petstore: the export cannot be written: the disk is full; free some space");
        assertThat(shell.run(german + "petstore export größe.csv && ls *.csv").out()).containsExactly("größe.csv");
    }

    @Test
    void printsNonAsciiLettersWithoutLocale() {
        shell.run("LC_ALL=C petstore keys create --name \"$(printf 'Zo\\303\\253')\"");
        for (String locale : List.of("unset LC_ALL LANG", "unset LC_ALL; export LANG=de_XX.UTF-8")) {
            assertThat(shell.run(locale + "; petstore keys list").out().getLast()).as(locale).contains(" Zoë ");
        }
    }

    /// If a standard stream is closed, Java would use the first file that it opens in its place.
    @Test
    void failsIfRequiredStandardStreamIsClosed() {
        assertThat(shell.run("petstore import " + EXAMPLES + " >&-"))
                .isEqualTo(new Ending(0, List.of(), List.of("Imported 46 animals")));
        assertThat(shell.run("petstore export - >&-")).isEqualTo(new Ending(1, List.of(),
                List.of("petstore: the export cannot be written: Bad file descriptor")));
        assertThat(shell.run("petstore import - <&-")).isEqualTo(new Ending(1, List.of(),
                List.of("petstore: - cannot be read: Bad file descriptor")));
        Ending silent = shell.run("petstore export - 2>&-");
        assertThat(silent.code()).isZero();
        assertThat(silent.out()).hasSize(46);
        assertThat(shell.run("petstore export - <&- >&- 2>&-")).isEqualTo(new Ending(1, List.of(), List.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"CDPATH=. home/petstore --version", "cd home; sh petstore --version",
            "cd home; PATH=:$PATH env petstore --version", "bin/petstore --version",
            "cd elsewhere; ../bin/petstore --version", "cd elsewhere; PATH=../bin:$PATH; petstore --version"})
    void launcherRunsFromAnyFolderAndThroughSymbolicLinks(String call) {
        Ending ending = shell.run("mkdir bin elsewhere; ln -s \"$(command -v petstore)\" absolute;"
                + " ln -s ../absolute bin/petstore; ln -s \"$(dirname \"$(command -v petstore)\")\" home; " + call);
        assertThat(ending.err()).isEmpty();
        assertThat(ending.out()).singleElement().asString().matches("petstore [0-9.]+.*, Java .*");
    }

    @Test
    void completionWorksInBashZshAndFish() {
        Ending bash = shell.run("source <(petstore completion bash); complete -p petstore; COMP_WORDS=(petstore ex);"
                + " COMP_CWORD=1; COMP_LINE='petstore ex'; COMP_POINT=11; _complete_petstore; echo ${COMPREPLY[@]}");
        assertThat(bash.err()).isEmpty();
        assertThat(bash.out()).hasSize(2).first().asString().startsWith("complete ").endsWith(" petstore");
        assertThat(bash.out().getLast()).isEqualTo("export");
        assertThat(shell.run("cmp <(petstore completion) <(petstore completion zsh)").code()).isZero();
        assumeThat(Tools.isInstalled("zsh")).as("zsh is installed").isTrue();
        Ending zsh = shell
                .run("zsh -fc 'autoload -U compinit; compinit -u -D; source <(petstore completion zsh) && echo ok'");
        assertThat(zsh.out()).containsExactly("ok");
        assumeThat(Tools.isInstalled("fish")).as("fish is installed").isTrue();
        Ending fish = shell.run("petstore completion fish > p.fish; : > animals.csv;"
                + " for line in 'exp' 'keys cr' 'serve --adm' 'keys list --format ' 'completion z' 'keys create --scope '"
                + " 'export ani'; do fish -c \"source p.fish; complete -C 'petstore $line'\" | cut -f 1; done");
        assertThat(fish.err()).isEmpty();
        assertThat(fish.out()).containsExactly("export", "create", "--admin-host", "--admin-port", "json", "table",
                "zsh", "pets:read", "pets:write", "animals.csv");
    }

    @Test
    void treatsArgumentsStartingWithAtLiterally() throws IOException {
        Files.writeString(folder.resolve("words"), "till");
        assertThat(shell.run("petstore import @words --format csv"))
                .isEqualTo(new Ending(1, List.of(), List.of("petstore: @words cannot be read: there is no such file")));
        assertThat(shell.petstore("keys create --name @words").code()).isZero();
        assertThat(shell.petstore("keys list").out().getLast()).contains(" @words ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"keys list", "keys revoke 4fQ0c8sXbT", "keys rotate 4fQ0c8sXbT", "export FOLDER/out.ndjson",
            "export -",
            "backup FOLDER/out.db", "import FOLDER/animals.ndjson --dry-run", "move --to postgresql://h/d"})
    void doesNotCreateMissingStore(String command) throws IOException {
        Files.writeString(folder.resolve("animals.ndjson"), "{\"name\":\"Rex\",\"categoryId\":1}");
        Ending ending = CommandLines.ending(Map.of(),
                (command + " --data FOLDER/dta").replace("FOLDER", folder.toString()).split(" ", 0));
        assertThat(ending.code()).isEqualTo(command.contains("--dry-run") ? 0 : 1);
        assertThat(ending.err()).anyMatch(line -> line.contains("there is no store in " + folder.resolve("dta")));
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(folder.resolve("animals.ndjson"));
        }
    }

    @Test
    void reportsNewStoreOnce() throws IOException {
        Files.writeString(folder.resolve("animals.ndjson"), "{\"name\":\"Rex\",\"categoryId\":1}");
        for (String command : List.of("keys create --name some", "import animals.ndjson")) {
            String data = command.substring(0, 4);
            Ending ending = shell
                    .runUnfiltered("petstore " + command + " --data " + data + "; petstore " + command + " --data "
                            + data);
            assertThat(ending.err()).filteredOn(line -> line.contains(Shell.NEW_STORE)).singleElement().asString()
                    .endsWith(Shell.NEW_STORE + folder.resolve(data));
        }
        for (int newStores : new int[]{1, 0}) {
            try (PetstoreProcess server = PetstoreProcess.serve(folder.resolve("served")).awaitReady()) {
                assertThat(server.unfilteredErr())
                        .filteredOn(line -> line.endsWith(Shell.NEW_STORE + folder.resolve("served")))
                        .hasSize(newStores);
            }
        }
    }

    @Test
    void reportsFailureInOneLineUnlessVerbose() {
        String line = "petstore: there is no store in ./data; 'petstore serve' or 'petstore keys create' makes one";
        assertThat(shell.petstore("keys list")).isEqualTo(new Ending(1, List.of(), List.of(line)));
        for (String command : List.of("--verbose keys list", "keys --verbose list", "keys list --verbose")) {
            Ending verbose = shell.petstore(command);
            assertThat(verbose.code()).isEqualTo(1);
            assertThat(verbose.err()).as(command).hasSizeGreaterThan(2).startsWith(line)
                    .anyMatch(trace -> trace.startsWith("\tat petstore."));
        }
    }

    @Test
    void showsProgressOnTerminalOnly() throws IOException {
        assumeThat(Tools.isInstalled("script")).as("script is installed").isTrue();
        Files.writeString(folder.resolve("animals.ndjson"),
                "{\"name\":\"Whiskers\",\"categoryId\":7}\n".repeat(60_000));
        Ending shown = shell.run("script -qec 'petstore import animals.ndjson' /dev/null");
        assertThat(shown.code()).isZero();
        assertThat(String.join("\n", shown.out())).containsPattern("import +[0-9]+% \\[=+.*\\] .*[0-9]+/[0-9]+ MiB"
                + " \\([0-9]:[0-9]{2}:[0-9]{2} / .*\\) .*MiB/s")
                .containsPattern("Imported 60000 animals in [0-9]+\\.[0-9] s$");
        for (String command : List.of("export all.ndjson", "backup backup.db", "restore backup.db")) {
            String task = command.substring(0, command.indexOf(' '));
            assertThat(String.join("\n", shell.run("script -qec 'petstore " + command + "' /dev/null").out()))
                    .containsPattern(task + " +100% \\[=+\\] .* \\([0-9]:[0-9]{2}:[0-9]{2} / .*\\) .*/s")
                    .containsPattern("(Exported|Backed up|Restored) 60000 animals.* in [0-9]+\\.[0-9] s");
        }
        assertThat(shell.run("script -qec 'petstore import --quiet animals.ndjson' /dev/null").out())
                .singleElement().asString().matches("Imported 60000 animals in [0-9]+\\.[0-9] s");
        assertThat(shell.run("petstore import animals.ndjson"))
                .isEqualTo(new Ending(0, List.of(), List.of("Imported 60000 animals")));
    }
}
