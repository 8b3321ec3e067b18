package petstore.process;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.cli.Main;
import petstore.cli.terminal.Console;
import petstore.store.sqlite.FolderLock;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.StoreFile;
import petstore.testkit.Tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/// `petstore import` and `petstore export` on the command line, without a server.
///
/// `-Dpetstore.animals=N` imports and exports N animals instead of 20,000.
class ImportExportIT extends AbstractShellTest {

    private static final long ANIMALS = Long.getLong("petstore.animals", 20_000);
    private static final String EXAMPLES = Path.of("examples/animals.ndjson").toAbsolutePath().toString();

    @Test
    void exportsImportedAnimalsThroughFilesAndPipes() throws IOException {
        assertThat(shell.run("petstore import " + EXAMPLES)).isEqualTo(endingOf(0, "Imported 46 animals"));
        Ending exported = shell.run("petstore export -");
        assertThat(exported.code()).isZero();
        assertThat(exported.err()).containsExactly("Exported 46 animals");
        assertThat(exported.out()).hasSize(46).first().asString().startsWith("{\"id\":1,\"name\":\"");
        assertThat(shell.run("petstore export animals.csv")).isEqualTo(endingOf(0, "Exported 46 animals"));
        assertThat(shell.run("cat animals.csv | petstore import - --format csv --keep-ids --data copy"))
                .isEqualTo(endingOf(0, "Imported 46 animals"));
        assertThat(shell.run("petstore export - --data copy").out()).isEqualTo(exported.out());
        assertThat(shell.run("petstore export - --data copy | petstore import /dev/stdin"))
                .isEqualTo(endingOf(0, "Exported 46 animals", "Imported 46 animals"));
        assertThat(shell.run("petstore export /dev/stdout").out()).hasSize(92).startsWith(
                exported.out().toArray(String[]::new));
        assertThat(shell.run("ls").out()).containsExactly("animals.csv", "copy", "data");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/stdout >> open", "/dev/fd/1 >> open", "/proc/self/fd/9 9>> open", "link >> open",
            "/dev/stderr 2>> open"})
    void exportAppendsToOpenFile(String target) throws IOException {
        importExamples();
        shell.run("ln -s /dev/stdout link; echo before > open");
        assertThat(shell.run("petstore export " + target).code()).isZero();
        assertThat(Files.readAllLines(folder.resolve("open"))).startsWith("before")
                .filteredOn(line -> line.startsWith("{")).hasSize(46);
        assertThat(shell.run("ls").out()).containsExactly("data", "link", "open");
    }

    /// A store without animals has an empty NDJSON file. An empty stream may come from a command that failed.
    @Test
    void acceptsEmptyFileAndRefusesEmptyStream() {
        shell.run("petstore keys create --name shop; petstore export none.ndjson; petstore export none.csv");
        for (String empty : List.of("none.ndjson", "none.csv", "- --format csv < none.csv", "- < <(echo)")) {
            assertThat(shell.run("petstore import " + empty)).as(empty).isEqualTo(endingOf(0, "Imported 0 animals"));
        }
        for (String script : List.of("false | petstore import -", "false | petstore import - --format csv --dry-run",
                "petstore import <(false)", "false | petstore import /dev/stdin", "petstore import - < none.ndjson",
                "petstore import /dev/null --keep-ids")) {
            assertThat(shell.run(script)).as(script)
                    .isEqualTo(endingOf(1, "petstore: no input: the stream is empty"));
        }
    }

    @Test
    void skipsHugeCsvRecordWithSmallHeap() {
        assertThat(shell
                .run("(echo name,categoryId; echo Rex,1; head -c 200000000 /dev/zero | tr '\\0' x; echo; echo Tom,2)"
                        + " | PETSTORE_JAVA_OPTIONS=-Xmx48m petstore import - --format csv --skip-bad"))
                .isEqualTo(endingOf(1, "line 3: the record is longer than 65536 bytes",
                        "Imported 2 animals, 1 of 3 is bad"));
    }

    /// SQLite's driver interprets some of these characters in a path.
    @ParameterizedTest
    @ValueSource(strings = {"c?d=e&mode=memory", "50% of #1, zur Prüfung", "a%20b%3Fc", "file:c", "a?cache=shared"})
    void acceptsSpecialCharactersInStoreFolder(String data) {
        Path store = folder.resolve(data);
        String backup = store.resolve("backup.db").toString();
        CommandLines.run(store, "import", EXAMPLES);
        CommandLines.run(store, "backup", backup);
        CommandLines.run(store, "restore", backup);
        assertThat(shell.run("petstore export - --data '" + data + "'").out()).hasSize(46);
        assertThat(shell.run("ls; ls '" + data + "' | grep -vE 'replaced|-(shm|wal)$'").out()).containsExactly(data,
                "backup.db",
                "petstore.db", "petstore.lock");
    }

    @Test
    void serverCanStartDuringDryRun() throws IOException {
        importExamples();
        Path bad = Files.writeString(folder.resolve("bad.ndjson"), "nonsense\n");
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        OutputStream lockingFolderOnWrite = new OutputStream() {
            @Override
            public void write(int b) {
                FolderLock.serve(shell.data()).close();
                err.write(b);
            }
        };
        Console console = Console.of(InputStream.nullInputStream(), OutputStream.nullOutputStream(),
                lockingFolderOnWrite,
                false, Map.of(), Clock.systemUTC());
        assertThat(Main.run(console, "import", bad.toString(), "--dry-run", "--data", shell.data().toString()))
                .isEqualTo(Main.FAILED);
        assertThat(err.toString(UTF_8)).containsPattern("Checked in [0-9.]+ s: 0 animals are good, 1 of 1 is bad\n$");
    }

    @Test
    void serverCanStartDuringImport() throws IOException {
        importExamples();
        Files.write(folder.resolve("many.ndjson"),
                Collections.nCopies(400_000, "{\"name\":\"Rex\",\"categoryId\":1}"));
        try (PetstoreProcess running = PetstoreProcess.start(Map.of(), "import",
                folder.resolve("many.ndjson").toString(), "--data", shell.data().toString())) {
            try (StoreFile store = new StoreFile(shell.data())) {
                await().until(() -> store.text("SELECT max(id) > 46 FROM pet").getFirst().equals("1"));
            }
            try (PetstoreProcess server = PetstoreProcess.serve(shell.data()).awaitReady()) {
                assertThat(running.isAlive()).as("the import goes on").isTrue();
                assertThat(running.ending().code()).isZero();
                assertThat(server.isAlive()).isTrue();
            }
        }
    }

    @Test
    void importKeepsIdsAboveGreatestExistingId() throws IOException {
        Files.writeString(folder.resolve("animals.ndjson"), """
                {"id":4,"name":"Tom","categoryId":1}
                {"id":9,"name":"Rex","categoryId":1}
                """);
        assertThat(shell.petstore("import ./animals.ndjson --keep-ids"))
                .isEqualTo(endingOf(0, "Imported 2 animals"));
        assertThat(shell.petstore("import ./animals.ndjson --keep-ids")).isEqualTo(endingOf(1,
                "line 1: id 4 does not lie above 9, the greatest id so far; sort the file by id",
                "line 2: id 9 does not lie above 9, the greatest id so far; sort the file by id",
                "Imported 0 animals, 2 of 2 are bad"));
        assertThat(shell.petstore("import ./animals.ndjson").code()).isZero();
        assertThat(shell.petstore("export -").out()).map(line -> line.substring(0, line.indexOf(',')))
                .containsExactly("{\"id\":4", "{\"id\":9", "{\"id\":10", "{\"id\":11");
    }

    @Test
    void reportsFilesThatCannotBeReadOrWritten() throws IOException {
        assertThat(shell.petstore("import ./none.ndjson"))
                .isEqualTo(endingOf(1, "petstore: ./none.ndjson cannot be read: there is no such file"));
        assertThat(shell.run("petstore import .")).isEqualTo(endingOf(1, "petstore: . cannot be read: it is a folder"));
        assertThat(folder).isEmptyDirectory();
        importExamples();
        assertThat(shell.petstore("export ./none/animals.ndjson"))
                .isEqualTo(endingOf(1, "petstore: there is no folder for ./none/animals.ndjson"));
        Files.createSymbolicLink(folder.resolve("link"), Path.of("data/petstore.db"));
        assertThat(shell.petstore("export --format csv ./link"))
                .satisfies(ending -> assertThat(ending.code()).isEqualTo(1))
                .satisfies(ending -> assertThat(ending.err()).singleElement().asString()
                        .contains("data/petstore.db is a part of the store"));
        for (String command : List.of("export --format csv", "backup")) {
            Ending refused = shell.petstore(command + " ./data/petstore.db-wal");
            assertThat(refused.code()).as(command).isEqualTo(1);
            assertThat(refused.err()).singleElement().asString()
                    .endsWith("data/petstore.db-wal is a part of the store; give the file another name");
        }
        assertThat(shell.petstore("export --format csv ./none/petstore.db"))
                .isEqualTo(endingOf(1, "petstore: there is no folder for ./none/petstore.db"));
        assertThat(shell.petstore("export /dev/full"))
                .isEqualTo(endingOf(1, "petstore: the export cannot be written: the disk is full; free some space"));
    }

    @Test
    void reportsFullTemporaryFolder() throws IOException {
        assumeThat(Tools.isInstalled("unshare") && shell.run("unshare --map-root-user --mount true").code() == 0)
                .as("file systems can be mounted").isTrue();
        writeAnimals(folder.resolve("animals.ndjson"), 120_000);
        Path full = Files.createDirectory(folder.resolve("full"));
        for (String source : List.of("--keep-ids - < animals.ndjson", "- < animals.ndjson")) {
            assertThat(shell
                    .run("export PETSTORE_JAVA_OPTIONS=-Djava.io.tmpdir=" + full + "; unshare --map-root-user --mount"
                            + " sh -c 'mount -t tmpfs -o size=4m tmpfs full && petstore import " + source + "'"))
                    .as(source).isEqualTo(endingOf(1, "petstore: the folder for temporary files, " + full
                            + ", cannot be written: the disk is full; free some space; set another with"
                            + " PETSTORE_JAVA_OPTIONS=-Djava.io.tmpdir=FOLDER"));
        }
    }

    @Test
    void importSuggestsOtherFormatIfNoLineIsValid() {
        importExamples();
        shell.petstore("export ./animals.csv --format csv");
        shell.run("gzip < animals.csv > animals.csv.gz");
        for (String file : List.of("animals.csv", "animals.csv.gz")) {
            Ending refused = shell.petstore("import --format ndjson ./" + file);
            assertThat(refused.code()).as(file).isEqualTo(1);
            assertThat(refused.err()).as(file).endsWith("no line is an animal: is it CSV (--format csv), or compressed"
                    + " (zcat FILE | petstore import -)?", refused.err().getLast());
        }
    }

    @Test
    void exportReplacesTargetOfLinkAndKeepsLink() throws IOException {
        Files.createDirectory(folder.resolve("there"));
        Files.writeString(folder.resolve("there/animals.ndjson"), "before");
        Files.createSymbolicLink(folder.resolve("link"), Path.of("there/animals.ndjson"));
        importExamples();
        assertThat(shell.petstore("export ./link").code()).isZero();
        assertThat(folder.resolve("link")).isSymbolicLink();
        assertThat(Files.readAllLines(folder.resolve("there/animals.ndjson"))).hasSize(46);
    }

    /// Root can change every owner unless it drops its capabilities.
    @Test
    void exportIsRefusedIfOwnerOfReplacedFileCannotBeKept() throws IOException {
        importExamples();
        shell.run("mkdir there");
        Path target = Files.writeString(folder.resolve("there/animals.ndjson"), "before");
        assumeThat(shell.run("chown 65534:65533 there/animals.ndjson && chmod 640 there/animals.ndjson").code())
                .as("only root can change the owner of files").isZero();
        String unprivileged = "setpriv --inh-caps=-all --bounding-set=-all ";
        assumeThat(shell.run(unprivileged + "true").code()).as("root can drop its capabilities").isZero();
        assertThat(shell.run(unprivileged + "petstore export there/animals.ndjson")).isEqualTo(endingOf(1,
                "petstore: owner, group and mode of " + target.toRealPath()
                        + " cannot be kept; run this as the owner of"
                        + " that file, or write to another file"));
        assertThat(shell.run("ls there; cat there/animals.ndjson").out()).containsExactly("animals.ndjson", "before");
    }

    /// File systems limit names to 255 bytes. A name cut at a byte offset could end within a multi-byte character.
    @ParameterizedTest
    @ValueSource(strings = {"a", "ü", "😀"})
    void acceptsLongestNamesThatFileSystemAllows(String unit) {
        int bytes = unit.getBytes(UTF_8).length;
        String name = unit.repeat(255 / bytes) + "b".repeat(255 % bytes);
        String data = "d" + name.substring(0, name.offsetByCodePoints(name.length(), -1));
        assertThat(shell.petstore("import " + EXAMPLES + " --data ./" + data).code()).isZero();
        for (String command : List.of("export --format csv ./" + name, "backup ./" + name, "restore ./" + name)) {
            if (command.startsWith("backup")) {
                shell.run("rm " + name);
            }
            assertThat(shell.petstore(command + " --data ./" + data).code()).as(command).isZero();
        }
        assertThat(shell.petstore("restore ./" + name + " --data ./other").code()).isZero();
        assertThat(shell.petstore("export - --data ./other").out()).hasSize(46);
        assertThat(shell.run("ls | wc -l").out()).containsExactly("3");
    }

    @Test
    void refusesPathTooLongForSqliteAndCreatesNoFiles() throws IOException {
        String folderName = "f".repeat(255);
        Path deep = Files.createDirectories(folder.resolve(folderName).resolve(folderName));
        String deepest = folderName + "/" + folderName;
        importExamples();
        shell.petstore("backup ./good.db");
        shell.run("cp good.db " + deepest + "/there.db");
        String serve = "serve --port 0 --admin-port 0 --data " + deepest + "/data";
        for (String command : List.of("import " + EXAMPLES + " --data ./" + deepest + "/data",
                "export - --data ./" + deepest + "/data", "keys list --data ./" + deepest + "/data",
                "restore ./good.db --data ./" + deepest + "/data", "backup ./" + deepest + "/backup.db",
                serve, "restore ./" + deepest + "/there.db")) {
            Ending refused = command.equals(serve) ? shell.run("petstore " + command) : shell.petstore(command);
            assertThat(refused.code()).as(command).isEqualTo(1);
            assertThat(refused.err()).as(command).singleElement().asString()
                    .containsPattern(
                            "the path of \\S*f+/f+/\\S+ is [0-9]+ bytes too long for SQLite; choose a shorter path");
        }
        assertThat(shell.run("ls " + deepest).out()).containsExactly("there.db");
        assertThat(shell.petstore("export ./" + deepest + "/animals.ndjson").code()).isZero();
        assertThat(deep).isDirectoryContaining("glob:**.ndjson");
    }

    @Test
    void exportStopsOnBrokenPipeAndLeavesNoPartialFile() throws IOException {
        writeAnimals(folder.resolve("animals.ndjson"), 100_000);
        CommandLines.run(shell.data(), "import", folder.resolve("animals.ndjson").toString());
        Ending brokenPipe = shell.run("petstore export - | head -1; exit ${PIPESTATUS[0]}");
        assertThat(brokenPipe.code()).isEqualTo(1);
        assertThat(brokenPipe.out()).hasSize(1);
        assertThat(brokenPipe.err()).containsExactly("petstore: the export cannot be written: Broken pipe");
        Files.writeString(folder.resolve("whole.csv"), "before");
        for (String signal : List.of("KILL", "INT")) {
            // Without job control (set -m), bash makes background processes ignore SIGINT.
            assertThat(shell
                    .run("set -m; rm -f *.part; petstore export whole.csv & until compgen -G '*.part' >&2; do kill -0 $! || exit;"
                            + " done; kill -" + signal + " %1; wait %1; cat whole.csv")
                    .out()).containsExactly("before");
        }
        assertThat(shell.run("ls *.part").out()).as("only SIGKILL leaves a partial file").isEmpty();
    }

    @Test
    void importsAndExportsManyAnimalsWithSmallHeap() throws IOException {
        writeAnimals(folder.resolve("animals.ndjson"), ANIMALS);
        for (String command : List.of("import animals.ndjson --keep-ids", "export all.ndjson")) {
            Ending ending = shell.run("PETSTORE_JAVA_OPTIONS=-Xmx128m petstore " + command);
            assertThat(ending)
                    .isEqualTo(endingOf(0, (command.startsWith("import") ? "Imported " : "Exported ") + ANIMALS
                            + " animals"));
        }
        try (BufferedReader reader = Files.newBufferedReader(folder.resolve("all.ndjson"))) {
            for (long id = 1; id <= ANIMALS; id++) {
                assertThat(reader.readLine() + "\n").isEqualTo(animal(id));
            }
            assertThat(reader.readLine()).isNull();
        }
    }

    /// Imports the examples in this process, for tests of other commands.
    private void importExamples() {
        CommandLines.run(shell.data(), "import", EXAMPLES);
    }

    /// Writes animals with the ids from 1 to `count`.
    private static void writeAnimals(Path file, long count) throws IOException {
        try (BufferedWriter writer = Files.newBufferedWriter(file)) {
            for (long id = 1; id <= count; id++) {
                writer.write(animal(id));
            }
        }
    }

    private static String animal(long id) {
        return "{\"id\":" + id + ",\"name\":\"Animal number " + id + "\",\"categoryId\":" + id % 50
                + ",\"status\":\"pending\"}\n";
    }

    private static Ending endingOf(int code, String... err) {
        return new Ending(code, List.of(), List.of(err));
    }
}
