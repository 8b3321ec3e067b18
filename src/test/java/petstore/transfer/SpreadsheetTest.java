package petstore.transfer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.NewPet;
import petstore.PetQuery;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.store.sqlite.Sqlite;
import petstore.testkit.AbstractCatalogueTest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/// CSV for spreadsheets: it is read as UTF-8, no name is a formula, and an import restores every name.
class SpreadsheetTest {

    /// Names that the file has after an apostrophe: formulas, and names that begin like a guarded formula.
    private static final List<String> FORMULAS = List.of("=1+1", "+1", "-1", "@SUM(A1)", "\tRex", "\rRex", "'=1", "''-",
            "=".repeat(NewPet.MAX_NAME_LENGTH), "=\"a\",\n1");
    /// Names that the file has unchanged.
    private static final List<String> OTHERS = List.of("Rex", "'Rex", "'", "''", "a=1", " =1", "\n=1", "1-1",
            "\uFF1D1", "Se\u00F1or", "\uFEFFRex");

    @TempDir
    private Path folder;
    private SqlStore store;

    @BeforeEach
    void open() {
        store = SqlStore.of(Sqlite.forCommand(folder.resolve("data"), SchemaPolicy.AUTO, StoreAccess.CREATE));
        for (List<String> names : List.of(FORMULAS, OTHERS)) {
            names.forEach(name -> AbstractCatalogueTest
                    .added(store.catalogue(), new NewPet(name, -7, Optional.empty())));
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void marksEncodingAndGuardsNamesOnlyForSpreadsheets() throws IOException {
        StringBuilder plain = new StringBuilder("id,name,categoryId,status\n");
        StringBuilder guarded = new StringBuilder("\uFEFF").append(plain);
        int id = 1;
        for (String name : FORMULAS) {
            plain.append(row(id, name));
            guarded.append(row(id++, "'" + name));
        }
        for (String name : OTHERS) {
            plain.append(row(id, name));
            guarded.append(row(id++, name));
        }
        assertThat(export(false)).isEqualTo(plain.toString());
        assertThat(export(true)).isEqualTo(guarded.toString());
    }

    private static String row(int id, String name) {
        boolean quoted = name.matches("(?s).*[\r\n\",].*");
        return id + "," + (quoted ? "\"" + name.replace("\"", "\"\"") + "\"" : name) + ",-7,\n";
    }

    @Test
    void importRestoresExport() throws IOException {
        for (boolean spreadsheet : new boolean[]{true, false}) {
            Path file = Files.writeString(folder.resolve("animals.csv"), export(spreadsheet));
            try (SqlStore other = SqlStore
                    .of(Sqlite.forCommand(folder.resolve("other" + spreadsheet), SchemaPolicy.AUTO,
                            StoreAccess.CREATE))) {
                Importer.run(0, () -> new Importer.Target(other.catalogue(), 100, Duration.ZERO),
                        new Importer.Plan(file, Format.CSV, spreadsheet, false, false), _ -> {
                        }, () -> false);
                PetQuery all = new PetQuery(PetQuery.MAX_LIMIT, Optional.empty(), 0);
                assertThat(AbstractCatalogueTest.list(other.catalogue(), all).pets())
                        .isEqualTo(AbstractCatalogueTest.list(store.catalogue(), all).pets());
            }
        }
    }

    private String export(boolean spreadsheet) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Exporter.export(store.catalogue(), Format.CSV, spreadsheet, out, _ -> {
        });
        return out.toString(UTF_8);
    }
}
