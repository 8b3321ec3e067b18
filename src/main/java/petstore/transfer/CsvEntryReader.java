package petstore.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackInputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
        this.header = hasNext() ? List.copyOf(records.next().getFields()) : List.of();
        for (String column : withIds ? List.of("id", "name", "categoryId") : List.of("name", "categoryId")) {
            if (!header.contains(column)) {
                close();
                throw new Failure(Failure.Kind.INVALID_REQUEST,
                        "line 1: the header must name the column " + column + ", as in id,name,categoryId,status");
            }
        }
    }

    /// Spreadsheets put a byte order mark before the header.
    private static InputStream withoutMark(InputStream in) throws IOException {
        PushbackInputStream bytes = new PushbackInputStream(in, MARK.length);
        byte[] first = bytes.readNBytes(MARK.length);
        if (!Arrays.equals(first, MARK)) {
            bytes.unread(first);
        }
        return bytes;
    }

    @Override
    public Optional<Entry> next() throws IOException {
        if (!hasNext()) {
            return Optional.empty();
        }
        CsvRecord fields = records.next();
        line = fields.getStartingLineNumber();
        if (fields.getFieldCount() != header.size()) {
            return Optional.of(new Entry.Bad(fields.getStartingLineNumber(),
                    "there are " + fields.getFieldCount() + " fields instead of " + header.size()));
        }
        return Optional.of(entry(fields));
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
