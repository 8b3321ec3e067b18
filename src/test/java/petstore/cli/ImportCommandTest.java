package petstore.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.cli.terminal.Console;
import petstore.store.sqlite.FolderLock;
import petstore.testkit.CommandLines;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.PostgresServer;
import petstore.testkit.StoreFile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// `petstore import` of files that add nothing, have no animal, or have columns of other programs.
class ImportCommandTest {

    private static final String TABLES = "SELECT tablename FROM pg_tables"
            + " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(delimiterString = " -> ", quoteCharacter = '`', textBlock = """
            `` -> 0 -> ``
            \\n \\n -> 0 -> ``
            `` -> 1 -> --format csv
            name,categoryId\\n -> 0 -> --format csv
            id,name,categoryId\\n -> 0 -> --format csv --keep-ids
            name\\nRex\\n -> 1 -> --format csv
            {"name":""}\\n -> 1 -> --skip-bad
            {"name":"Rex","categoryId":1}\\n{"name":""}\\n -> 1 -> ``
            `` -> 0 -> --keep-ids
            {"name":"Rex","categoryId":1}\\n -> 1 -> --keep-ids --skip-bad
            {"id":2,"name":"Rex","categoryId":1}\\n{"id":1,"name":"Rex","categoryId":1}\\n -> 1 -> --keep-ids --skip-bad
            """)
    void createsNoStoreIfNothingIsAdded(String file, int code, String options) throws IOException {
        byte[] bytes = file.translateEscapes().getBytes(UTF_8);
        Path source = Files.write(folder.resolve("source.ndjson"), bytes);
        String database = PostgresServer.newDatabase();
        for (String path : List.of(source.toString(), "-")) {
            // An empty stream is no input.
            int expected = path.equals("-") && file.isEmpty() ? 1 : code;
            for (List<String> store : List.of(List.of("--data", folder.resolve("new/data").toString()),
                    List.of("--database", database))) {
                assertThat(run(bytes, Stream.of(Stream.of("import", path), store.stream(),
                        Stream.of(options.split(" ", 0)).filter(word -> !word.isEmpty()))
                        .flatMap(part -> part).toArray(String[]::new)).code()).isEqualTo(expected);
            }
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(source);
        }
        assertThat(PostgresServer.query(database, TABLES)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--keep-ids"})
    void createsStoreForFirstAnimal(String option) {
        byte[] animal = "{\"id\":7,\"name\":\"Rex\",\"categoryId\":1}\n".getBytes(UTF_8);
        String database = PostgresServer.newDatabase();
        for (List<String> store : List.of(List.of("--data", folder.resolve("new/data").toString()),
                List.of("--database", database))) {
            String[] line = Stream.of(Stream.of("import", "-"), store.stream(),
                    Stream.of(option).filter(given -> !given.isEmpty())).flatMap(part -> part).toArray(String[]::new);
            assertThat(run(animal, line).err()).last().asString().startsWith("Imported 1 animal");
            assertThat(run(new byte[0], Stream.concat(Stream.of("export", "-"), store.stream())
                    .toArray(String[]::new)).out()).singleElement().asString()
                    .startsWith(option.isEmpty() ? "{\"id\":1," : "{\"id\":7,");
        }
    }

    /// A server takes the folder while the file is checked.
    @Test
    void letsServerWriteThatAppearsMeanwhile() throws IOException {
        Path source = Files.write(folder.resolve("source.ndjson"), IntStream.range(0, 30_000)
                .mapToObj(_ -> "{\"name\":\"" + "\\u00e4".repeat(250) + "\",\"categoryId\":1}").toList());
        Path data = folder.resolve("data");
        CompletableFuture<Ending> importing = CompletableFuture.supplyAsync(
                () -> CommandLines.ending(Map.of(), "import", source.toString(), "--data", data.toString()));
        await().pollInterval(Duration.ofMillis(1)).until(() -> openings(source) == 2);
        assertThat(data).doesNotExist();
        Set<Long> counts = new HashSet<>();
        try (FolderLock _ = FolderLock.serve(data)) {
            await().until(() -> data.resolve("petstore.db-wal").toFile().exists());
            try (StoreFile store = new StoreFile(data)) {
                await().untilAsserted(() -> store.text("SELECT seq FROM sqlite_sequence"));
                while (!importing.isDone()) {
                    store.text("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'pet'")
                            .forEach(count -> counts.add(Long.valueOf(count)));
                }
            }
        }
        assertThat(importing.join().code()).isZero();
        assertThat(counts).as("animals at commits").anyMatch(count -> count % 10_000 != 0);
    }

    /// Returns the number of descriptors of this process that have a file open.
    private static long openings(Path file) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(descriptor -> {
                try {
                    return Files.readSymbolicLink(descriptor).equals(file);
                } catch (IOException e) {
                    return false;
                }
            }).count();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--dry-run", "--keep-ids", "--skip-bad"})
    void namesIgnoredColumnsOnce(String option) throws IOException {
        Path source = Files.writeString(folder.resolve("source.csv"),
                "id,colour,name,age,categoryId,,colour,\"Länge\n\u202e\""
                        + "\n1,red,Rex,3,7,,,\n2,blue,Tom,4,7,,,\n");
        Ending ending = CommandLines.ending(Map.of(), Stream.of("import", source.toString(), "--data",
                folder.resolve("data").toString(), option).filter(word -> !word.isEmpty()).toArray(String[]::new));
        assertThat(ending.code()).isZero();
        assertThat(ending.err()).filteredOn(line -> line.contains("ignored"))
                .containsExactly("petstore: columns ignored: colour, age, Länge\\u000a\\u202e");
        assertThat(ending.err()).last().asString().contains("2 animals");
    }

    @Test
    void namesOnlyFirstOfManyIgnoredColumns() throws IOException {
        Path source = Files.writeString(folder.resolve("source.csv"), "name,categoryId," + "x".repeat(60_000) + ","
                + IntStream.range(0, 500).mapToObj(i -> "c" + i).collect(joining(",")) + "\n");
        Ending ending = CommandLines.ending(Map.of(), "import", source.toString(), "--data",
                folder.resolve("data").toString());
        assertThat(ending.err()).first().isEqualTo("petstore: columns ignored: " + "x".repeat(40)
                + "..., c0, c1, c2, c3, c4, c5, c6, c7, c8 and 491 more");
    }

    @ParameterizedTest
    @CsvSource(delimiterString = " -> ", quoteCharacter = '`', textBlock = """
            name,categoryId\\nRex,1\\n -> is it CSV (--format csv), or compressed
            \uFEFFname,categoryId\\n -> is it CSV (--format csv), or compressed
            \\n [\\n{"name":"Rex","categoryId":1},\\n]\\n -> is it one array
            {"name":""}\\n -> ``
            \uFEFF{"name":"Rex","categoryId":1}\\n -> ``
            \\r\\n \\n{"name":""}\\n -> ``
            \uFEFF\\n -> ``
            \\n\\n -> ``""")
    void suggestsLikelyFormat(String file, String advice) {
        String shown = String.join("\n", run(file.translateEscapes().getBytes(UTF_8), "import", "-", "--dry-run",
                "--data", folder.resolve("none").toString()).err());
        if (advice.isEmpty()) {
            assertThat(shown).doesNotContain("no line is an animal");
        } else {
            assertThat(shown).contains("no line is an animal: " + advice);
        }
    }

    private static Ending run(byte[] input, String... line) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = Console.of(new ByteArrayInputStream(input), out, err, false, Map.of(), Clock.systemUTC());
        int code = Main.run(console, line);
        return new Ending(code, out.toString(UTF_8).lines().toList(), err.toString(UTF_8).lines().toList());
    }
}
