package petstore.transfer;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.transfer.CsvRecordReader.CsvRecord;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

/// Records of CSV, from streams that return one byte or all bytes at a time.
class CsvRecordReaderTest {

    private static final String ALPHABET = "ab ,;\"'\r\n\u00ff";

    /// Each `|` separates fields, each `/` records.
    @ParameterizedTest
    @CsvSource(delimiterString = " -> ", quoteCharacter = '`', textBlock = """
            a,b\\nc -> a|b/c
            a,\\n,\\n -> a|/|
            a,b\\r\\n\\r\\nc\\rd\\n\\r -> a|b//c/d/
            "a,""b""\\r\\n\\n",c\\n"" -> a,"b"\\r\\n\\n|c/
            a"b,c""\\n'a,b' -> a"b|c""/'a|b'
            """)
    void splitsRecordsAndFields(String file, String expected) throws IOException {
        String fields = read(file.translateEscapes()).stream().map(record -> String.join("|", record.fields()))
                .collect(Collectors.joining("/"));
        assertThat(fields).isEqualTo(expected.translateEscapes());
    }

    private record NumberedRecord(CsvRecord record, long lastLine) {

        NumberedRecord(long line, long lastLine, List<String> fields) {
            this(new CsvRecord(line, fields, Optional.empty()), lastLine);
        }

        List<String> fields() {
            return record.fields();
        }
    }

    @Test
    void numbersLines() throws IOException {
        assertThat(read("a\r\n\"b\n\r\nc\",d\r\re\n\"f\n\"")).containsExactly(new NumberedRecord(1, 1, List.of("a")),
                new NumberedRecord(2, 4, List.of("b\n\r\nc", "d")), new NumberedRecord(5, 5, List.of("")),
                new NumberedRecord(6, 6, List.of("e")), new NumberedRecord(7, 8, List.of("f\n")));
        assertThat(read("")).isEmpty();
    }

    @Test
    void readsRandomRecords() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            List<List<String>> records = IntStream.range(0, 20).mapToObj(_ -> IntStream
                    .rangeClosed(0, random.nextInt(4))
                    .mapToObj(_ -> random.ints(random.nextInt(6), 0, ALPHABET.length()).mapToObj(ALPHABET::charAt)
                            .map(String::valueOf).collect(Collectors.joining()))
                    .toList()).toList();
            String file = records.stream().map(record -> record.stream()
                    .map(field -> field.matches("(?s)[^\",\r\n]+") && random.nextBoolean()
                            ? field
                            : '"' + field.replace("\"", "\"\"") + '"')
                    .collect(Collectors.joining(",")) + List.of("\n", "\r\n", "\r").get(random.nextInt(3)))
                    .collect(Collectors.joining());
            assertThat(read(file).stream().map(NumberedRecord::fields).toList()).as("seed " + seed + ": " + file)
                    .isEqualTo(records);
        }
    }

    /// Reads a file in both ways.
    private static List<NumberedRecord> read(String file) throws IOException {
        byte[] bytes = file.getBytes(ISO_8859_1);
        List<NumberedRecord> records = readAll(new ByteArrayInputStream(bytes));
        assertThat(readAll(new ByteArrayInputStream(bytes) {
            @Override
            public int read(byte[] buffer) throws IOException {
                return read(buffer, 0, 1);
            }
        })).isEqualTo(records);
        return records;
    }

    private static List<NumberedRecord> readAll(InputStream in) throws IOException {
        CsvRecordReader reader = new CsvRecordReader(in);
        List<NumberedRecord> records = new ArrayList<>();
        for (Optional<CsvRecord> record = reader.next(); record.isPresent(); record = reader.next()) {
            records.add(new NumberedRecord(record.get(), reader.lines()));
        }
        return records;
    }
}
