package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.testkit.PetstoreProcess.Ending;
import petstore.testkit.Tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/// Exports for spreadsheets in LibreOffice.
class SpreadsheetIT extends AbstractShellTest {

    /// The character codes of separators in LibreOffice, and `/` between them.
    private static final String COMMA = "44";
    private static final String CSV = "Text - txt - csv (StarCalc)";
    /// Text delimiter `"`, UTF-8, from the first line.
    private static final String REST = ",34,76,1";
    private static final List<String> NAMES = List.of("007", "1E5", "3/4", "=1+1", "'x", "x;=1+1", "x;=1+1;y", "TRUE",
            "1,5", "-5", "@x", "2026-11-29", "  blanks  ", "a\\n=1+1;y", "say \\\";=1+1;\\\" x", "x;'y",
            "''",
            "Señor");

    /// LibreOffice does not save tabs in ODS.
    private static final String TABS = "{\"name\":\"a\\t=1+1\\tb\",\"categoryId\":1}";

    @BeforeEach
    void exportForSpreadsheet() throws IOException {
        assumeThat(Tools.isInstalled("soffice")).as("LibreOffice is installed").isTrue();
        List<String> animals = NAMES.stream()
                .map(name -> "{\"name\":\"" + name + "\",\"categoryId\":9007199254740993}").toList();
        Files.write(folder.resolve("animals.ndjson"), animals);
        assertThat(shell.run("petstore import animals.ndjson && petstore export a.csv --spreadsheet").code()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"xlsx", "ods"})
    void importRestoresWhatSpreadsheetHasSaved(String type) {
        convert("a.csv", COMMA, type);
        convert("a." + type, COMMA, "csv:" + CSV + ":" + COMMA + REST);
        assertThat(shell.run("petstore import a.csv --spreadsheet --data copy").err())
                .containsExactly("Imported " + NAMES.size() + " animals");
        assertThat(shell.run("petstore export - --data copy").out()).isEqualTo(shell.run("petstore export -").out());
    }

    /// If the decimal sign is a comma, spreadsheets split at semicolons. The dialog of LibreOffice proposes all three.
    @ParameterizedTest
    @ValueSource(strings = {"59", "9", "44/59/9"})
    void noNameIsCalculated(String separators) throws IOException {
        Files.writeString(folder.resolve("tabs.ndjson"), TABS);
        assertThat(shell.run("petstore import tabs.ndjson && petstore export a.csv --spreadsheet").code()).isZero();
        convert("a.csv", separators, "ods");
        assertThat(shell.run("unzip -p a.ods content.xml | grep -q '<table:table-cell'").code()).isZero();
        Ending formulas = shell.run("unzip -p a.ods content.xml | grep -o 'table:formula=\"[^\"]*\"'");
        assertThat(formulas.out()).isEmpty();
    }

    @Test
    void aNameWithoutMarkIsCalculated() {
        shell.run("petstore export a.csv");
        convert("a.csv", "59", "ods");
        assertThat(shell.run("unzip -p a.ods content.xml | grep -c 'table:formula='").out()).doesNotContain("0");
    }

    private void convert(String file, String separators, String type) {
        Ending ending = shell.run("soffice -env:UserInstallation=file://" + folder + "/profile --headless "
                + (file.endsWith(".csv") ? "--infilter='" + CSV + ":" + separators + REST + "' " : "")
                + "--convert-to '"
                + type + "' " + file);
        assertThat(ending.code()).as(ending.toString()).isZero();
    }
}
