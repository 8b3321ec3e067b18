package petstore.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import petstore.Failure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetStatus;

/// Reads one animal a record (RFC 4180), below a header that names the columns `name` and `categoryId`, may name `id` and
/// `status`, in any order, and others that are passed over.
final class CsvEntryReader implements EntryReader {

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
                .ofCsvRecord(new InputStreamReader(in,
                        StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT)));
        this.records = csv.iterator();
        this.header = hasNext() ? header(records.next()) : List.of();
        for (String column : withIds ? List.of("id", "name", "categoryId") : List.of("name", "categoryId")) {
            if (!header.contains(column)) {
                close();
                throw new Failure(Failure.Kind.INVALID_REQUEST,
                        "line 1: the header must name the column " + column + ", as in id,name,categoryId,status");
            }
        }
    }

    /// Spreadsheets put a byte order mark before it.
    private static List<String> header(CsvRecord first) {
        List<String> names = new ArrayList<>(first.getFields());
        names.set(0, names.getFirst().replace("\uFEFF", ""));
        return names;
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

    private boolean hasNext() {
        try {
            return records.hasNext();
        } catch (CsvParseException | UncheckedIOException e) {
            throw new Failure(Failure.Kind.INVALID_REQUEST,
                    "the file is not CSV in UTF-8: something is wrong after line "
                            + line + ", and what follows cannot be read",
                    e);
        }
    }

    private Entry entry(CsvRecord fields) {
        List<String> violations = new ArrayList<>();
        OptionalLong id = withIds ? integer(fields, "id") : OptionalLong.of(0);
        if (id.isEmpty() || (withIds && id.getAsLong() < 1)) {
            violations.add(Pet.ID_VIOLATION);
        }
        String name = field(fields, "name");
        violations.addAll(NewPet.nameViolations(name));
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
                new Pet(id.getAsLong(), name, categoryId.getAsLong(), status));
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
