package petstore.transfer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.CommandFailure;
import petstore.transfer.Importer.Plan;
import petstore.transfer.Importer.Report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Import of files in another format or encoding. Line number and reason are correct for both formats.
class ImportFileFormatTest {

    private static final String HEADER = "; a CSV file begins with a header, as " + CsvLineReader.HEADER;
    private static final String PET = "{\"name\":\"Rex\",\"categoryId\":1}";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(delimiterString = " -> ", quoteCharacter = '`', textBlock = """
            {"name":"Rex","categoryId":1}\\n -> line 1: begins with {
            \\n\\r\\n \\n{"name":"Rex","categoryId":1} -> line 4: begins with {
            \uFEFF{"a":1} -> line 1: begins with {
            [\\n{"name":"Rex"}] -> line 1: begins with [""")
    void refusesJsonAsCsv(String file, String message) {
        assertRefused(Format.CSV, file.translateEscapes().getBytes(UTF_8), message
                + ", as JSON does; use --format ndjson");
    }

    @Test
    void refusesCsvWithoutValidHeader() {
        assertRefused(Format.CSV, new byte[0], "line 1: the file is empty" + HEADER);
        assertRefused(Format.CSV, "\uFEFF".getBytes(UTF_8), "line 1: the file is empty" + HEADER);
        assertRefused(Format.CSV, "\n \n,,\n".getBytes(UTF_8), "line 1: all lines are blank" + HEADER);
        assertRefused(Format.CSV, "\n\nRex,1".getBytes(UTF_8),
                "line 3: the header must name the column name, as in " + CsvLineReader.HEADER);
        assertRefused(Format.CSV, "\"name,categoryId\nRex,1\n".getBytes(UTF_8),
                "line 1: a quoted value has no end; the rest cannot be read");
        assertRefused(Format.CSV, ("name,categoryId," + "x".repeat(70_000) + "\nRex,1,\n").getBytes(UTF_8),
                "line 1: the record is longer than 65536 bytes");
    }

    @ParameterizedTest
    @CsvSource(delimiterString = " -> ", quoteCharacter = '`', textBlock = """
            \\n\\n"open,1 -> line 6: a quoted value has no end
            "a\\nb",1\\n"Rex"x,1\\n -> line 6: a quoted value has more text behind its end
            \\r\\n\\r\\n"Rex"x,1\\n -> line 6: a quoted value has more text behind its end""")
    void reportsLineOfWrongQuotesAfterOtherBadLines(String file, String message) throws IOException {
        Report report = run(Format.CSV, ("name,categoryId\nRex,1\n,1\n" + file.translateEscapes()).getBytes(UTF_8));
        assertThat(report.firstBad()).containsExactly("line 3: name must be 1 to 255 characters long",
                message + "; the rest cannot be read");
    }

    @Test
    void wrongQuotesRefuseWholeFile() throws IOException {
        Path source = Files.writeString(folder.resolve("source"), "name,categoryId\nRex,1\n\"Tom\"x,1\nMia,1\n");
        assertThat(Importer.run(0, () -> {
            throw new AssertionError("the store is opened");
        }, new Plan(source, Format.CSV, false, false, true), _ -> {
        }, () -> false).written()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 16, 2_000_000})
    void tooLongRecordIsOneBadLine(int bytes) throws IOException {
        String good = "Rex,1,\n";
        for (String record : List.of("Rex,1," + "x".repeat(bytes),
                "Rex,1," + ("x".repeat(999) + ",").repeat(bytes / 999 + 1),
                "Rex,1," + ",".repeat(bytes), "\"" + "x".repeat(bytes) + "\",1,", " ".repeat(bytes + 1),
                ",".repeat(bytes + 1))) {
            assertThat(run(Format.CSV, ("name,categoryId,more\n\n" + good + record + "\r\n\n" + good + "\"\",1,\n")
                    .getBytes(UTF_8))).as(record.substring(0, 8))
                    .isEqualTo(new Report(2, 2, List.of("line 4: the record is longer than 65536 bytes",
                            "line 7: name must be 1 to 255 characters long"), List.of("more"), 0, 0));
        }
    }

    @Test
    void namesLastLineOfTooLongRecord() throws IOException {
        String record = "\"" + "x\n".repeat(40_000) + "\",1";
        assertThat(run(Format.CSV, ("name,categoryId\n" + record + "\nRex\n").getBytes(UTF_8)).firstBad())
                .containsExactly("line 2: the record is longer than 65536 bytes; it ends in line 40002",
                        "line 40003: there are 1 fields instead of 2");
        assertThat(run(Format.CSV, ("name,categoryId\n" + record.substring(0, 80_000)).getBytes(UTF_8)).firstBad())
                .containsExactly("line 2: a quoted value has no end; the rest cannot be read");
    }

    @Test
    void acceptsRecordOfMaximumLength() throws IOException {
        String longest = "Rex,1," + "x".repeat((1 << 16) - 6);
        for (String end : List.of("\n", "\r\n", "\r", "")) {
            assertThat(run(Format.CSV, ("name,categoryId,more\n" + longest + end).getBytes(UTF_8)).good()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "x-UTF-16LE-BOM", "X-UTF-32LE-BOM"})
    void refusesOtherEncodings(String charset) {
        for (Format format : Format.values()) {
            byte[] file = (format == Format.CSV ? "name,categoryId\nRex,1\n" : PET).getBytes(Charset.forName(charset));
            assertRefused(format, file, "line 1: encoded in UTF-16 or UTF-32; save as "
                    + (format == Format.CSV ? "CSV with commas, UTF-8" : "UTF-8"));
        }
    }

    @Test
    void refusesCompressedFilesAndZeroBytes() throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write("name,categoryId\n".getBytes(UTF_8));
        }
        assertRefused(Format.CSV, compressed.toByteArray(),
                "line 1: compressed; unpack it, as in zcat FILE | petstore import - --format csv");
        assertRefused(Format.CSV, new byte[]{'P', 'K', 3, 4, 20, 0},
                "line 1: a zip archive, as .xlsx files are; save as CSV with commas, UTF-8");
        for (byte[] zeros : List.of(new byte[100], new byte[]{'n', 0, 'm', 'e', '\n'})) {
            assertRefused(Format.CSV, zeros,
                    "line 1: the header must name the column name, as in " + CsvLineReader.HEADER);
        }
    }

    @Test
    void ndjsonMessagesNameLineInsteadOfBody() throws IOException {
        String file = "\uFEFF" + PET + "\n\n[" + PET + "]\n" + PET + "," + PET + "\n\0\0\n" + PET.replace(":1", ":1,")
                + "\nid,name\n" + PET.replace("Rex", "\\ud800") + "\n{\"a\":1,\"a\":1}\n" + PET + "\r" + PET
                + "\n\uFEFF" + PET + "\n" + PET.substring(0, 9);
        assertThat(run(Format.NDJSON, file.getBytes(UTF_8)).firstBad()).containsExactly(
                "line 1: starts with a byte order mark", "line 3: must be a JSON object",
                "line 4: not valid JSON at character 30", "line 5: not valid JSON at character 2",
                "line 6: not valid JSON at character 30", "line 7: not valid JSON at character 1",
                "line 8: name must not contain an unpaired surrogate",
                "line 9: has a member twice at character 11",
                "line 10: has a line end of CR alone; lines end in LF",
                "line 11: starts with a byte order mark", "line 12: not valid JSON at character 10");
    }

    @ParameterizedTest
    @CsvSource(delimiterString = " -> ", quoteCharacter = '`', textBlock = """
            NDJSON ->  -> 0
            NDJSON -> \\n \\r\\n\\t -> 0
            NDJSON -> {"name":"Rex","categoryId":1} -> 1
            NDJSON -> \\r\\n{"name":"Rex","categoryId":1}\\r\\n\\r\\n{"name":"Rex","categoryId":1} -> 2
            CSV -> name,categoryId -> 0
            CSV -> \uFEFF\\r\\n \\nname,categoryId\\r\\n\\r\\n   \\r\\nRex,1 -> 1
            CSV -> name,categoryId\\rRex,1\\r\\rTom,2 -> 2""")
    void acceptsBlankLinesAndMissingLineEnds(Format format, String file, int animals) throws IOException {
        Report report = run(format, file == null ? new byte[0] : file.translateEscapes().getBytes(UTF_8));
        assertThat(report.firstBad()).isEmpty();
        assertThat(report.good()).isEqualTo(animals);
    }

    private void assertRefused(Format format, byte[] file, String message) {
        assertThatThrownBy(() -> run(format, file)).isInstanceOf(CommandFailure.class).hasMessage(message);
    }

    private Report run(Format format, byte[] file) throws IOException {
        Path source = Files.write(folder.resolve("source"), file);
        return Importer.check(new Plan(source, format, false, false, true), 0, _ -> {
        });
    }
}
