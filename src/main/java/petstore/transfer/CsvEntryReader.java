package petstore.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackInputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.CsvRecordHandler;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import petstore.Failure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetStatus;
import petstore.Utf8;

/// Reads one animal a record (RFC 4180), below a header that names the columns `name` and `categoryId`, may name `id` and
/// `status`, in any order, and others that are passed over.
final class CsvEntryReader implements EntryReader {

    private static final byte[] MARK = "\uFEFF".getBytes(StandardCharsets.UTF_8);
    /// In bytes; that of NDJSON too.
    private static final int LONGEST_RECORD = 64 * 1024;
    /// In bytes; of a byte order mark of UTF-32.
    private static final int LONGEST_MARK = 4;
    private static final List<String> COLUMNS = List.of("id", "name", "categoryId", "status");
    private static final Map<String, String> OTHER_SEPARATORS = Map.of(";", "';'", "\t", "tabs", "|", "'|'");
    private static final String SAVE_AS = "save as CSV with commas, UTF-8";
    private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,19}");

    private final CsvReader<CsvRecord> csv;
    private final CloseableIterator<CsvRecord> records;
    private final boolean withIds;
    private final List<String> header;
    private long line;

    CsvEntryReader(InputStream in, boolean withIds) throws IOException {
        this.withIds = withIds;
        this.csv = CsvReader.builder().skipEmptyLines(true).allowUnclosedQuote(false)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE).extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .maxBufferSize(2 * LONGEST_RECORD)
                .build(CsvRecordHandler.builder().maxFieldSize(LONGEST_RECORD).maxRecordSize(LONGEST_RECORD).build(),
                        // What makes a file CSV is ASCII. So a name that is no UTF-8 is the matter of its record alone.
                        new InputStreamReader(withoutMark(in), StandardCharsets.ISO_8859_1));
        this.records = csv.iterator();
        Optional<CsvRecord> first = nextRecord();
        this.header = first.map(record -> List.copyOf(record.getFields())).orElse(List.of());
        Optional<String> violation = headerViolation();
        if (violation.isPresent()) {
            close();
            throw invalid("line " + Math.max(1, line) + ": " + violation.get());
        }
    }

    /// Returns the error message for the header; empty if it is valid. A file in another form of a spreadsheet gets advice.
    private Optional<String> headerViolation() {
        String first = header.isEmpty() ? "" : header.getFirst();
        if (first.startsWith("sep=")) {
            return Optional.of("a line " + first + " stands before the header; " + SAVE_AS);
        }
        for (Map.Entry<String, String> separator : OTHER_SEPARATORS.entrySet()) {
            if (header.size() == 1 && first.contains(separator.getKey())) {
                return Optional.of("separated by " + separator.getValue() + "; " + SAVE_AS);
            }
        }
        Optional<String> twice = COLUMNS.stream().filter(column -> Collections.frequency(header, column) > 1)
                .findFirst();
        if (twice.isPresent()) {
            return Optional.of("the column " + twice.get() + " stands twice");
        }
        return (withIds ? List.of("id", "name", "categoryId") : List.of("name", "categoryId")).stream()
                .filter(column -> !header.contains(column)).findFirst().map(column -> "the header must name the column "
                        + column + ", as in " + String.join(",", COLUMNS));
    }

    private static Failure invalid(String message) {
        return new Failure(Failure.Kind.INVALID_REQUEST, message);
    }

    /// Spreadsheets put a byte order mark before the header. Errors: [Failure] for UTF-16 and UTF-32, with or without a mark: in text
    /// that begins with ASCII they have a NUL among the first four bytes.
    private static InputStream withoutMark(InputStream in) throws IOException {
        PushbackInputStream bytes = new PushbackInputStream(in, LONGEST_MARK);
        byte[] first = bytes.readNBytes(LONGEST_MARK);
        boolean marked = first.length >= MARK.length && Arrays.equals(MARK, 0, MARK.length, first, 0, MARK.length);
        boolean wide = first.length > 1 && (first[0] & 0xFF) >= 0xFE && (first[1] & 0xFF) >= 0xFE;
        for (byte b : first) {
            wide |= b == 0;
        }
        if (wide) {
            in.close();
            throw invalid("line 1: encoded in UTF-16 or UTF-32; " + SAVE_AS);
        }
        int begin = marked ? MARK.length : 0;
        bytes.unread(first, begin, first.length - begin);
        return bytes;
    }

    @Override
    public Optional<Entry> next() throws IOException {
        return nextRecord().map(this::checked);
    }

    /// Returns the next record that has a value: spreadsheets save rows that were emptied as commas alone.
    private Optional<CsvRecord> nextRecord() throws IOException {
        while (hasNext()) {
            CsvRecord record = records.next();
            line = record.getStartingLineNumber();
            if (!record.getFields().stream().allMatch(String::isEmpty)) {
                return Optional.of(record);
            }
        }
        return Optional.empty();
    }

    private Entry checked(CsvRecord fields) {
        if (fields.getFieldCount() != header.size()) {
            return new Entry.Bad(fields.getStartingLineNumber(),
                    "there are " + fields.getFieldCount() + " fields instead of " + header.size());
        }
        return entry(fields);
    }

    private boolean hasNext() throws IOException {
        try {
            return records.hasNext();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (CsvParseException e) {
            throw new Failure(Failure.Kind.INVALID_REQUEST, "the file is not CSV, or has a record of over "
                    + LONGEST_RECORD + " bytes: something is wrong after line " + line
                    + ", and what follows cannot be read", e);
        }
    }

    private Entry entry(CsvRecord fields) {
        List<String> violations = new ArrayList<>();
        OptionalLong id = withIds ? integer(fields, "id") : OptionalLong.of(0);
        if (id.isEmpty() || (withIds && id.getAsLong() < 1)) {
            violations.add(Pet.ID_VIOLATION);
        }
        Optional<String> name = Utf8.decode(field(fields, "name").getBytes(StandardCharsets.ISO_8859_1));
        name.ifPresentOrElse(text -> violations.addAll(NewPet.nameViolations(text)),
                () -> violations.add("name is not valid UTF-8"));
        OptionalLong categoryId = integer(fields, "categoryId");
        if (categoryId.isEmpty()) {
            violations.add(NewPet.CATEGORY_VIOLATION);
        }
        String statusText = field(fields, "status");
        Optional<PetStatus> status = PetStatus.find(statusText);
        if (status.isEmpty() && !statusText.isEmpty()) {
            violations.add(PetStatus.VIOLATION);
        }
        if (!violations.isEmpty()) {
            return new Entry.Bad(fields.getStartingLineNumber(), String.join("; ", violations));
        }
        return new Entry.Good(fields.getStartingLineNumber(),
                new Pet(id.getAsLong(), name.orElseThrow(), categoryId.getAsLong(), status));
    }

    private String field(CsvRecord fields, String column) {
        int index = header.indexOf(column);
        return index < 0 ? "" : fields.getField(index);
    }

    private OptionalLong integer(CsvRecord fields, String column) {
        String text = field(fields, column);
        try {
            return INTEGER.matcher(text).matches() ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    @Override
    public void close() throws IOException {
        csv.close();
    }
}
