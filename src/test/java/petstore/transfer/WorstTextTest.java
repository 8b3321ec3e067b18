package petstore.transfer;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.testkit.WorstText;

/// Linear time for lines of imported files.
class WorstTextTest {

    /// A reader of lines.
    @FunctionalInterface
    private interface Opener {
        ImportLine.Reader open(InputStream file) throws IOException;
    }

    private static void read(Opener opener, String text) {
        try {
            ImportLine.Reader reader = opener
                    .open(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)));
            while (reader.next().isPresent()) {
                // The next line follows.
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @TestFactory
    Stream<DynamicTest> readsLines() {
        return Stream.of(
                WorstText.BULK.tests("CSV", text -> read(file -> new CsvLineReader(file, false, true), text), "", "\"",
                        "name,categoryId,", "name,categoryId\n", "name,categoryId\n\"", "name,categoryId\na,"),
                WorstText.BULK.tests("NDJSON", text -> read(file -> new NdjsonLineReader(file, true), text), "",
                        "{\"name\":\"", "\r"),
                WorstText.BULK.tests("name of a file", Format::find, "", "a."),
                WorstText.BULK.tests("marked name", PetCsv::unmarked, "", "'")).flatMap(tests -> tests);
    }
}
