package petstore.transfer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.CommandFailure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.PetStatus;
import petstore.store.SqlStore;
import petstore.testkit.TestStore;
import petstore.transfer.Importer.Plan;
import petstore.transfer.Importer.Report;
import petstore.transfer.Importer.Target;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petstore.testkit.AbstractCatalogueTest.added;
import static petstore.testkit.AbstractCatalogueTest.awaited;
import static petstore.testkit.AbstractCatalogueTest.list;

/// Import and export of both formats, on a real store.
@Tag("both-stores")
class TransferTest {

    private static final String GOOD = "{\"name\":\"Rex\",\"categoryId\":1}\n";

    @TempDir
    private Path folder;
    @AutoClose
    private SqlStore store;

    @BeforeEach
    void open() {
        store = TestStore.open(folder);
    }

    @ParameterizedTest
    @EnumSource
    void importRestoresExport(Format format, @TempDir Path other) throws IOException {
        List<String> names = List.of("Whiskers", "  blanks  ", "comma, \"quote\" 'tick'", "line\nfeed\r\n", "犬 🐕",
                "tab\t\u0001",
                "=1+1", "null", "\\", "a\u2028b", "a,b", "a\"b", "a\nb", "a\rb");
        int animals = 2 * names.size();
        for (String name : names) {
            added(store.catalogue(), new NewPet(name, Long.MIN_VALUE, Optional.empty()));
            added(store.catalogue(), new NewPet(name, Long.MAX_VALUE, Optional.of(PetStatus.PENDING)));
        }
        String exported = export(store, format);
        long lines = exported.chars().filter(c -> c == '\n').count();
        try (SqlStore copy = TestStore.open(other)) {
            Report report = importInto(copy, format, exported, true, false);
            assertThat(report).isEqualTo(new Report(animals, 0, List.of(), List.of(), animals, lines));
            assertThat(export(copy, format)).isEqualTo(exported);
            for (long id = 1; id <= animals; id++) {
                assertThat(awaited(copy.catalogue().find(id)))
                        .isEqualTo(awaited(store.catalogue().find(id))).isPresent();
            }
        }
    }

    @Test
    void exportsJsonOfApiAndCsvWithHeader() throws IOException {
        added(store.catalogue(), new NewPet("Ünï \"x\"", 7, Optional.of(PetStatus.SOLD)));
        added(store.catalogue(), new NewPet("Rex", -1, Optional.empty()));
        assertThat(export(store, Format.NDJSON)).isEqualTo("""
                {"id":1,"name":"Ünï \\"x\\"","categoryId":7,"status":"sold"}
                {"id":2,"name":"Rex","categoryId":-1}
                """);
        assertThat(export(store, Format.CSV)).isEqualTo("""
                id,name,categoryId,status
                1,"Ünï ""x""\",7,sold
                2,Rex,-1,
                """);
    }

    /// The last bytes of the line are alone in the buffer, and are short enough for a line of their own.
    @Test
    void countsTooLongLineOnce() throws IOException {
        String line = "{\"name\":\"Rex\",\"categoryId\":1,\"remark\":\"\"}\n";
        String remark = "x".repeat(2 * (1 << 16) + 10 - GOOD.length() - line.length());
        Report report = importInto(store, Format.NDJSON, GOOD + line.replace("\"\"", "\"" + remark + "\"") + GOOD,
                false,
                true);
        assertThat(report.firstBad()).containsExactly("line 2: the line is longer than 65536 bytes");
        assertThat(report.written()).isEqualTo(2);
    }

    @Test
    void acceptsLineOfMaximumLength() throws IOException {
        String line = "{\"name\":\"Rex\",\"categoryId\":1}";
        String longest = line + " ".repeat((1 << 16) - line.length());
        Report report = importInto(store, Format.NDJSON, longest + "\n" + longest + " \n", false, true);
        assertThat(report).isEqualTo(
                new Report(1, 1, List.of("line 2: the line is longer than 65536 bytes"), List.of(), 1, 2));
    }

    @Test
    void refusesFileIfIdsDoNotRise() throws IOException {
        addAnimal();
        String file = pet(1) + pet(9) + pet(3) + pet(9) + pet(0) + GOOD + pet(Long.MAX_VALUE) + pet(12);
        for (boolean skipBad : new boolean[]{true, false}) {
            Report report = importInto(store, Format.NDJSON, file, true, skipBad);
            assertThat(report.firstBad()).containsExactly(notAbove(1, 1, 1), notAbove(3, 3, 9), notAbove(4, 9, 9),
                    "line 5: id must be an integer between 1 and 9223372036854775807",
                    "line 6: id must be an integer between 1 and 9223372036854775807",
                    "line 7: the id 9223372036854775807 leaves too little room for later ones");
            assertThat(report.written()).isZero();
        }
        assertThat(store.catalogue().count()).isEqualTo(1);
    }

    /// The report has the first hundred of them.
    @Test
    void skipsMalformedLinesAndKeepsIds() throws IOException {
        String file = pet(0) + pet(9) + "{}\n".repeat(250) + pet(12);
        assertThat(importInto(store, Format.NDJSON, file, true, false).written()).isZero();
        Report report = importInto(store, Format.NDJSON, file, true, true);
        assertThat(report.written()).isEqualTo(2);
        assertThat(report.bad()).isEqualTo(251);
        assertThat(report.firstBad()).hasSize(100);
        assertThat(export(store, Format.NDJSON)).isEqualTo(pet(9) + pet(12));
        addAnimal();
        assertThat(store.catalogue().lastId()).isEqualTo(13);
    }

    private static String notAbove(long line, long id, long lastId) {
        return "line " + line + ": id " + id + " does not lie above " + lastId
                + ", the greatest id so far; sort the file by id";
    }

    @Test
    void refusesIdAboveHalfOfMaximum() throws IOException {
        long greatest = Long.MAX_VALUE / 2;
        assertThat(importInto(store, Format.NDJSON, pet(greatest) + pet(greatest + 1), true, true).firstBad())
                .containsExactly("line 2: the id " + (greatest + 1) + " leaves too little room for later ones");
    }

    @Test
    void requiresIdsInCsvIfIdsAreKept() throws IOException {
        String file = "id,name,categoryId\n7,Rex,1\n0,Rex,1\nx,Rex,1\n,Rex,1\n7,Rex,1\n";
        Report report = importInto(store, Format.CSV, file, true, true);
        String violation = ": id must be an integer between 1 and 9223372036854775807";
        assertThat(report.firstBad()).containsExactly("line 3" + violation, "line 4" + violation,
                "line 5" + violation, notAbove(6, 7, 7));
        assertThat(store.catalogue().count()).isZero();
        assertThatThrownBy(() -> importInto(store, Format.CSV, "name,categoryId\nRex,1\n", true, false))
                .hasMessageContaining("must name the column id");
    }

    @Test
    void refusesFileIfAnimalIsAddedMeanwhile() throws IOException {
        String file = pet(1) + pet(9);
        for (LongPredicate trigger : List.<LongPredicate>of(_ -> true, bytes -> bytes == file.length())) {
            long lastId = store.catalogue().lastId();
            Report report = importWithAction(file.replace("1,\"name", lastId + 1 + ",\"name"), true, trigger,
                    _ -> addAnimal());
            assertThat(report)
                    .isEqualTo(new Report(1, 1, List.of(notAbove(1, lastId + 1, lastId + 1)), List.of(), 0, 0));
            assertThat(store.catalogue().count()).isEqualTo(lastId + 1);
        }
    }

    private void addAnimal() {
        added(store.catalogue(), new NewPet("meanwhile", 1, Optional.empty()));
    }

    /// Imports a file, and runs `action` on it once, as soon as `trigger` accepts the number of bytes read.
    private Report importWithAction(String file, boolean keepIds, LongPredicate trigger, Consumer<Path> action)
            throws IOException {
        Path source = Files.writeString(folder.resolve("source"), file);
        AtomicBoolean done = new AtomicBoolean();
        return Importer.run(store.catalogue().lastId(), target(store), plan(source, Format.NDJSON, keepIds, false),
                bytes -> {
                    if (trigger.test(bytes) && !done.getAndSet(true)) {
                        action.accept(source);
                    }
                }, () -> false);
    }

    @Test
    void readsCsvWithColumnsInAnyOrder() throws IOException {
        String file = "\uFEFF\"status\",extra,categoryId,\"name\"\r\nsold,x,7,\"Two\nlines\"\r\n,,8,Rex\r\n";
        Report report = importInto(store, Format.CSV, file, false, false);
        assertThat(report.written()).isEqualTo(2);
        assertThat(awaited(store.catalogue().find(1)))
                .contains(new Pet(1, "Two\nlines", 7, Optional.of(PetStatus.SOLD)));
        assertThat(awaited(store.catalogue().find(2)))
                .contains(new Pet(2, "Rex", 8, Optional.empty()));
    }

    @Test
    void reportsRecordWithInvalidUtf8() throws IOException {
        Path source = Files.write(folder.resolve("source"),
                "name,categoryId\nRex,1\nSe\u00F1or,2\nTom,3\n".getBytes(ISO_8859_1));
        Report report = run(store, source, Format.CSV, false, true);
        assertThat(report.firstBad()).containsExactly("line 3: name is not valid UTF-8");
        assertThat(report.written()).isEqualTo(2);
    }

    @Test
    void reportsBadCsvRecordsByFirstLine() throws IOException {
        String file = "name,categoryId,status\n\"a\nb\",1,\n,x,lost\nRex\nRex,1,sold,more\nRex,9223372036854775808,\n";
        Report report = importInto(store, Format.CSV, file, false, false);
        assertThat(report.firstBad()).containsExactly(
                "line 4: name must be 1 to 255 characters long; categoryId must be an integer between"
                        + " -9223372036854775808 and 9223372036854775807; status must be one of available, pending, sold",
                "line 5: there are 1 fields instead of 3", "line 6: there are 4 fields instead of 3",
                "line 7: categoryId must be an integer between -9223372036854775808 and 9223372036854775807");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            id,name,categoryId,id                | id
            name,categoryId,name                 | name
            name,"categoryId","categoryId"       | categoryId
            status,name,categoryId,status        | status""")
    void refusesRepeatedColumn(String header, String column) throws IOException {
        for (boolean skipBad : new boolean[]{true, false}) {
            assertThatThrownBy(() -> importInto(store, Format.CSV, header + "\n1,2,3,4\n", false, skipBad))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessage("line 1: the column " + column + " is named twice");
        }
        assertThat(store.catalogue().count()).isZero();
    }

    @Test
    void skipsRecordsWithoutValues() throws IOException {
        String file = ",,\n\nname,categoryId,status\n,,\nRex,1,\n\"\",\"\",\"\"\n,,\n,,,,\nTom,0x,\n";
        Report report = importInto(store, Format.CSV, file, false, true);
        assertThat(report.written()).isEqualTo(1);
        assertThat(report.firstBad()).singleElement().asString().startsWith("line 9: ");
    }

    @ParameterizedTest
    @CsvSource(delimiterString = " -> ", quoteCharacter = '`', textBlock = """
            name;categoryId\\nRex;1\\n -> separated by ';'
            name\\tcategoryId\\nRex\\t1\\n -> separated by tabs
            sep=;\\nname;categoryId\\nRex;1\\n -> a line sep=; stands before the header
            sep=,\\nname,categoryId\\nRex,1\\n -> a line sep= stands before the header""")
    void refusesOtherSpreadsheetDialects(String file, String reason) {
        String text = file.translateEscapes();
        assertThatThrownBy(() -> importInto(store, Format.CSV, text, false, true))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("line 1: " + reason + "; save as CSV with commas, UTF-8");
    }

    @Test
    void writesNothingIfInterruptedDuringCheck() throws IOException {
        Path source = Files.writeString(folder.resolve("source"), GOOD.repeat(300));
        AtomicBoolean interrupted = new AtomicBoolean();
        Report report = Importer.run(store.catalogue().lastId(), target(store),
                plan(source, Format.NDJSON, false, false),
                _ -> interrupted.set(true), interrupted::get);
        assertThat(report).isEqualTo(new Report(0, 0, List.of(), List.of(), 0, 0));
        assertThat(store.catalogue().count()).isZero();
    }

    /// Records of several lines, bad lines and blank lines. Below the line, the file has exactly the other animals.
    @ParameterizedTest
    @EnumSource
    void namesLineBehindWhichInterruptedImportGoesOn(Format format) throws IOException {
        List<String> names = IntStream.rangeClosed(1, 300).mapToObj(i -> "pet\n" + i).toList();
        String header = format == Format.CSV ? "name,categoryId\n" : "";
        String file = header + names.stream().map(name -> format == Format.CSV
                ? "\"" + name + "\",1\n,x\n\n"
                : "{\"name\":\"" + name.replace("\n", "\\n") + "\",\"categoryId\":1}\n{}\n\n")
                .collect(Collectors.joining());
        Path source = Files.writeString(folder.resolve("source"), file);
        AtomicInteger groups = new AtomicInteger();
        Report report = Importer.run(0, target(store), plan(source, format, false, true), bytes -> {
            if (bytes > file.length()) {
                groups.incrementAndGet();
            }
        }, () -> groups.get() == 3);
        assertThat(report.written()).isEqualTo(100);
        String rest = file.lines().skip(report.lastLine()).collect(Collectors.joining("\n"));
        importInto(store, format, header + rest, false, true);
        assertThat(list(store.catalogue(), new PetQuery(PetQuery.MAX_LIMIT, Optional.empty(), 0)).pets())
                .map(Pet::name).isEqualTo(names.subList(0, PetQuery.MAX_LIMIT));
        assertThat(list(store.catalogue(), new PetQuery(PetQuery.MAX_LIMIT, Optional.empty(), 200)).pets())
                .map(Pet::name).isEqualTo(names.subList(200, 300));
        assertThat(store.catalogue().count()).isEqualTo(300);
    }

    @Test
    void reportsIfFileHasFewerAnimalsThanWhenChecked() throws IOException {
        assertThatThrownBy(() -> importChanged(GOOD.repeat(300), GOOD.repeat(250), false))
                .isInstanceOf(CommandFailure.class)
                .hasMessage(
                        "the import stopped after line 250; 250 animals stay: the file was changed meanwhile; it had 300"
                                + " animals when it was checked");
        assertThat(store.catalogue().count()).isEqualTo(250);
    }

    @Test
    void stopsAtLineThatBecameBadAfterCheck() throws IOException {
        assertThatThrownBy(() -> importChanged(GOOD.repeat(300), GOOD.repeat(250) + "{}\n", false))
                .isInstanceOf(CommandFailure.class)
                .hasMessage(
                        "the import stopped after line 200; 200 animals stay: the file was changed meanwhile, line 251:"
                                + " name is required; categoryId is required");
        assertThat(store.catalogue().count()).isEqualTo(200);
    }

    @Test
    void saysThatNothingIsImportedIfFirstGroupFails() {
        assertThatThrownBy(() -> importChanged(GOOD, "{}\n", false)).isInstanceOf(CommandFailure.class)
                .hasMessage("the import stopped; nothing was imported: the file was changed meanwhile, line 1:"
                        + " name is required; categoryId is required");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void rollsBackInterruptedImportWithIds(int group) throws IOException {
        String file = IntStream.rangeClosed(1, 300).mapToObj(id -> pet(id)).collect(Collectors.joining());
        Path source = Files.writeString(folder.resolve("source"), file);
        AtomicInteger groups = new AtomicInteger();
        Report report = Importer.run(store.catalogue().lastId(), target(store),
                plan(source, Format.NDJSON, true, false), bytes -> {
                    if (bytes > file.length()) {
                        groups.incrementAndGet();
                    }
                }, () -> groups.get() == group);
        assertThat(report.written()).isZero();
        assertThat(store.catalogue().count()).isZero();
        assertThat(store.catalogue().lastId()).isZero();
    }

    @Test
    void rollsBackImportWithIdsIfFileChanges() {
        String file = IntStream.rangeClosed(1, 300).mapToObj(id -> pet(id)).collect(Collectors.joining());
        for (String changed : List.of(pet(1), file.replace("pet299", ""))) {
            assertThatThrownBy(() -> importChanged(file, changed, true)).isInstanceOf(CommandFailure.class)
                    .hasMessageStartingWith("the file was changed meanwhile")
                    .hasMessageEndingWith("; nothing was imported");
            assertThat(store.catalogue().count()).isZero();
        }
    }

    @Test
    void progressCountsBytesOfBothReadings() throws IOException {
        Path source = Files.writeString(folder.resolve("source"), GOOD.repeat(300));
        List<Long> progress = new ArrayList<>();
        Importer.run(store.catalogue().lastId(), target(store), plan(source, Format.NDJSON, false, false),
                progress::add, () -> false);
        assertThat(progress).isSorted().last().isEqualTo(600L * GOOD.length());
    }

    @Test
    void exportFailsIfOutputCannotBeWritten() {
        store.catalogue().addAll(Collections.nCopies(1_000, new NewPet("W".repeat(255), 1, Optional.empty())));
        for (Format format : Format.values()) {
            assertThatThrownBy(() -> Exporter.export(store.catalogue(), format, false, new FullForOnce(), _ -> {
            })).isInstanceOf(IOException.class).hasMessage("the disk is full");
        }
    }

    /// A disk that is full for one write. Later writes succeed, but the file would lack a part.
    private static final class FullForOnce extends OutputStream {
        private boolean full = true;

        @Override
        public void write(int oneByte) throws IOException {
            write(new byte[]{(byte) oneByte});
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (full) {
                full = false;
                throw new IOException("the disk is full");
            }
        }
    }

    /// Imports a file that changes as soon as it has been checked.
    private Report importChanged(String checked, String changed, boolean keepIds) throws IOException {
        return importWithAction(checked, keepIds, bytes -> bytes == checked.length(), file -> write(file, changed));
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String pet(long id) {
        return "{\"id\":" + id + ",\"name\":\"pet" + id + "\",\"categoryId\":1}\n";
    }

    private static String export(SqlStore store, Format format) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Exporter.export(store.catalogue(), format, false, out, _ -> {
        });
        return out.toString(UTF_8);
    }

    private Report importInto(SqlStore target, Format format, String file, boolean keepIds, boolean skipBad)
            throws IOException {
        return run(target, Files.writeString(folder.resolve("source"), file), format, keepIds, skipBad);
    }

    private static Report run(SqlStore target, Path source, Format format, boolean keepIds, boolean skipBad)
            throws IOException {
        return Importer.run(target.catalogue().lastId(), target(target), plan(source, format, keepIds, skipBad), _ -> {
        }, () -> false);
    }

    private static Plan plan(Path source, Format format, boolean keepIds, boolean skipBad) {
        return new Plan(source, format, false, keepIds, skipBad);
    }

    private static Supplier<Target> target(SqlStore store) {
        return () -> new Target(store.catalogue(), 100, () -> false);
    }
}
