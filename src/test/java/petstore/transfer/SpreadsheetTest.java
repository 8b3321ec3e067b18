package petstore.transfer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.PetStatus;
import petstore.store.SqlStore;
import petstore.testkit.TestStore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static petstore.testkit.AbstractCatalogueTest.added;
import static petstore.testkit.AbstractCatalogueTest.list;

/// CSV for spreadsheets: it is read as UTF-8, a spreadsheet changes no field, and an import restores every field.
class SpreadsheetTest {

    private static final long EXACT = 999_999_999_999_999L;

    @TempDir
    private Path folder;
    @AutoClose
    private SqlStore store;

    @BeforeEach
    void open() {
        store = TestStore.open(folder.resolve("data"));
    }

    @Test
    void marksEveryNameAndEachPartOfItOnlyForSpreadsheets() throws IOException {
        Map<String, String> marked = new LinkedHashMap<>();
        marked.put("Rex", "'Rex");
        marked.put("007", "'007");
        marked.put("=1+1", "'=1+1");
        marked.put("'Rex", "''Rex");
        marked.put("Se\u00F1or, 3/4", "'Se\u00F1or, 3/4");
        marked.put("=\"a\"", "'=\"a\"");
        marked.put("x;=1+1;y", "'x;'=1+1;'y");
        marked.put("a\t-1", "'a\t'-1");
        marked.put("a\n\n'b\r\nc\rd", "'a\n'\n''b\r\n'c\r'd");
        StringBuilder plain = new StringBuilder("id,name,categoryId,status\n");
        StringBuilder spreadsheet = new StringBuilder("\uFEFF").append(plain);
        int id = 1;
        for (Map.Entry<String, String> name : marked.entrySet()) {
            add(name.getKey(), -7);
            plain.append(row(id, name.getKey()));
            spreadsheet.append(row(id++, name.getValue()));
        }
        assertThat(export(false)).isEqualTo(plain.toString());
        assertThat(export(true)).isEqualTo(spreadsheet.toString());
    }

    private static String row(int id, String name) {
        boolean quoted = name.matches("(?s).*[\r\n\",;\t].*");
        return id + "," + (quoted ? "\"" + name.replace("\"", "\"\"") + "\"" : name) + ",-7,\n";
    }

    @Test
    void marksIntegersOfMoreThan15Digits() throws IOException {
        for (long category : new long[]{EXACT, -EXACT, EXACT + 1, -EXACT - 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            add("Rex", category);
        }
        store.catalogue().addWithIds(
                List.of(List.of(new Pet(EXACT + 1, "Rex", 1, Optional.of(PetStatus.SOLD)))).iterator());
        assertThat(export(true)).isEqualTo("""
                \uFEFFid,name,categoryId,status
                1,'Rex,999999999999999,
                2,'Rex,-999999999999999,
                3,'Rex,'1000000000000000,
                4,'Rex,'-1000000000000000,
                5,'Rex,'9223372036854775807,
                6,'Rex,'-9223372036854775808,
                '1000000000000000,'Rex,1,sold
                """);
    }

    /// A spreadsheet shows no mark to people who add rows.
    @Test
    void acceptsFieldsWithoutMark() throws IOException {
        String file = "id,name,categoryId\n1,Rex;'x',1234567890123456\n'2,''Tom,'1\n";
        assertThat(imported(file)).containsExactly(
                new Pet(1, "Rex;'x'", 1_234_567_890_123_456L, Optional.empty()),
                new Pet(2, "'Tom", 1, Optional.empty()));
    }

    private void add(String name, long categoryId) {
        added(store.catalogue(), new NewPet(name, categoryId, Optional.empty()));
    }

    @Test
    void importRestoresExport() throws IOException {
        for (String name : List.of("Rex", "007", "1E5", "3/4", "=1+1", "@SUM(A1)", "\tRex", "\rRex", "'=1", "''-", "'",
                "''",
                "x;=1+1", ";", ";'", "';'", "\ra\r\n", "a\r'\n", "\na\r\n'", "a\";'b", "\uFF1D1", "Se\u00F1or",
                "\uFEFFRex",
                ";".repeat(NewPet.MAX_NAME_LENGTH), "=\"a\",\n1")) {
            add(name, 7);
            add(name, 9_007_199_254_740_993L);
        }
        List<Pet> pets = pets(store);
        assertThat(imported(export(true))).isEqualTo(pets);
    }

    /// Returns the animals of a file after an import into an empty store.
    private List<Pet> imported(String csv) throws IOException {
        Path file = Files.writeString(folder.resolve("animals.csv"), csv);
        try (SqlStore other = TestStore.open(folder.resolve("other"))) {
            Importer.Report report = Importer.run(0, () -> new Importer.Target(other.catalogue(), 100, () -> false),
                    new Importer.Plan(file, Format.CSV, true, false, false), _ -> {
                    }, () -> false);
            assertThat(report.firstBad()).isEmpty();
            return pets(other);
        }
    }

    private static List<Pet> pets(SqlStore store) {
        return list(store.catalogue(), new PetQuery(PetQuery.MAX_LIMIT, Optional.empty(), 0)).pets();
    }

    private String export(boolean spreadsheet) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Exporter.export(store.catalogue(), Format.CSV, spreadsheet, out, _ -> {
        });
        return out.toString(UTF_8);
    }
}
