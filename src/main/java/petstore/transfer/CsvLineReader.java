package petstore.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.CsvRecordHandler;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import petstore.CommandFailure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetStatus;
import petstore.json.StrictUtf8;

/// A reader of CSV (RFC 4180). The header has the columns `name` and `categoryId`, and may have `id`, `status` and others, in any order.
/// Other columns are ignored.
final class CsvLineReader implements ImportLine.Reader {

    static final String HEADER = "id,name,categoryId,status";

    /// In bytes, as for NDJSON.
    private static final int MAX_RECORD_BYTES = 64 * 1024;
    private static final int MAX_FIELDS = 1 << 14;
    private static final List<String> COLUMNS = List.of(HEADER.split(",", -1));
    private static final Map<String, String> OTHER_SEPARATORS = Map.of(";", "';'", "\t", "tabs", "|", "'|'");
    private static final Pattern LINE = Pattern.compile("(?i)record starting at line ([0-9]+)");
    private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,19}");

    private final Iterator<CsvRecord> records;
    private final boolean withIds;
    private final boolean spreadsheet;
    private final List<String> header;
    private long line;

    CsvLineReader(InputStream in, boolean withIds, boolean spreadsheet) throws IOException {
        this.withIds = withIds;
        this.spreadsheet = spreadsheet;
        this.records = CsvReader.builder().skipEmptyLines(true).allowUnclosedQuote(false)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE).extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .maxBufferSize(2 * MAX_RECORD_BYTES)
                .build(CsvRecordHandler.builder().maxFields(MAX_FIELDS).maxFieldSize(MAX_RECORD_BYTES)
                        .maxRecordSize(MAX_RECORD_BYTES).build(),
                        // One character for each byte, so that a name that is not UTF-8 makes only its record bad.
                        new InputStreamReader(in, StandardCharsets.ISO_8859_1))
                .iterator();
        this.header = nextRecord().map(CsvRecord::getFields).orElse(List.of());
        headerViolation().ifPresent(violation -> {
            throw new CommandFailure("line " + (header.isEmpty() ? 1 : line) + ": " + violation);
        });
    }

    /// Returns the error message for the header; empty if it is valid. It has advice for other formats of spreadsheets.
    private Optional<String> headerViolation() {
        if (header.isEmpty()) {
            return Optional.of("all lines are blank" + FirstBytes.HEADER);
        }
        String first = header.getFirst();
        if (first.startsWith("sep=")) {
            return Optional.of("a line " + first + " stands before the header; " + FirstBytes.SAVE_AS);
        }
        return OTHER_SEPARATORS.entrySet().stream()
                .filter(separator -> header.size() == 1 && first.contains(separator.getKey())).findFirst()
                .map(separator -> "separated by " + separator.getValue() + "; " + FirstBytes.SAVE_AS)
                .or(() -> COLUMNS.stream().filter(column -> Collections.frequency(header, column) > 1).findFirst()
                        .map(column -> "the column " + column + " is named twice"))
                .or(() -> (withIds ? List.of("id", "name", "categoryId") : List.of("name", "categoryId")).stream()
                        .filter(column -> !header.contains(column)).findFirst()
                        .map(column -> "the header must name the column " + column + ", as in " + HEADER));
    }

    @Override
    public Optional<ImportLine> next() throws IOException {
        return nextRecord().map(this::parse);
    }

    @Override
    public List<String> ignoredColumns() {
        return header.stream().filter(column -> !COLUMNS.contains(column) && !column.isBlank()).distinct()
                .map(column -> StrictUtf8.decode(column.getBytes(StandardCharsets.ISO_8859_1)).orElse(column)).toList();
    }

    /// Returns the next record with a value: lines may be blank, and spreadsheets save emptied rows as commas.
    private Optional<CsvRecord> nextRecord() throws IOException {
        while (hasNext()) {
            CsvRecord record = records.next();
            line = record.getStartingLineNumber();
            List<String> fields = record.getFields();
            if (!fields.stream().allMatch(field -> fields.size() == 1 ? field.isBlank() : field.isEmpty())) {
                return Optional.of(record);
            }
        }
        return Optional.empty();
    }

    private boolean hasNext() throws IOException {
        try {
            return records.hasNext();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (CsvParseException e) {
            String message = String.valueOf(e.getMessage());
            Matcher place = LINE.matcher(message);
            throw new CommandFailure("line " + (place.find() ? place.group(1) : line + 1) + ": "
                    + reason(message) + "; the rest cannot be read", e);
        }
    }

    /// Returns the error message for a message of FastCSV.
    private static String reason(String message) {
        if (message.contains("after closing quote")) {
            return "a quoted value has more text behind its end";
        }
        if (message.contains("fields")) {
            return "the record has more than " + MAX_FIELDS + " fields";
        }
        return message.contains("Unclosed")
                ? "a quoted value has no end"
                : "the record is longer than " + MAX_RECORD_BYTES + " bytes"
                        + (message.contains("buffer") ? ", or a quoted value has no end" : "");
    }

    private ImportLine parse(CsvRecord record) {
        if (record.getFieldCount() != header.size()) {
            return new ImportLine.Bad(line,
                    "there are " + record.getFieldCount() + " fields instead of " + header.size());
        }
        List<String> violations = new ArrayList<>();
        long id = withIds ? integer(record, "id").orElse(0) : 0;
        if (withIds && id < 1) {
            violations.add(Pet.ID_VIOLATION);
        }
        OptionalLong categoryId = integer(record, "categoryId");
        String statusText = field(record, "status");
        Optional<PetStatus> status = PetStatus.find(statusText);
        Optional<String> name = StrictUtf8.decode(field(record, "name").getBytes(StandardCharsets.ISO_8859_1))
                .map(text -> spreadsheet ? PetCsv.unguarded(text) : text);
        violations.addAll(name.map(NewPet::nameViolations).orElse(List.of("name is not valid UTF-8")));
        if (categoryId.isEmpty()) {
            violations.add(NewPet.CATEGORY_VIOLATION);
        }
        if (status.isEmpty() && !statusText.isEmpty()) {
            violations.add(PetStatus.VIOLATION);
        }
        return violations.isEmpty()
                ? new ImportLine.Good(line, id, new NewPet(name.orElseThrow(), categoryId.orElseThrow(), status))
                : new ImportLine.Bad(line, String.join("; ", violations));
    }

    private String field(CsvRecord record, String column) {
        int index = header.indexOf(column);
        return index < 0 ? "" : record.getField(index);
    }

    private OptionalLong integer(CsvRecord record, String column) {
        String text = field(record, column);
        try {
            return INTEGER.matcher(text).matches() ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}
