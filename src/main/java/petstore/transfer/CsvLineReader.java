package petstore.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

import petstore.CommandFailure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetStatus;
import petstore.json.StrictUtf8;
import petstore.transfer.CsvRecordReader.CsvRecord;

/// A reader of CSV (RFC 4180). The header has the columns `name` and `categoryId`, and may have `id`, `status` and others, in any order.
/// Other columns are ignored.
final class CsvLineReader implements ImportLine.Reader {

    static final String HEADER = "id,name,categoryId,status";

    private static final List<String> COLUMNS = List.of(HEADER.split(",", -1));
    private static final Map<String, String> OTHER_SEPARATORS = Map.of(";", "';'", "\t", "tabs", "|", "'|'");
    private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,19}");

    private final CsvRecordReader records;
    private final boolean withIds;
    private final boolean spreadsheet;
    private final List<String> header;

    CsvLineReader(InputStream in, boolean withIds, boolean spreadsheet) throws IOException {
        this.withIds = withIds;
        this.spreadsheet = spreadsheet;
        this.records = new CsvRecordReader(in);
        CsvRecord first = nextRecord().orElseThrow(
                () -> new CommandFailure("line 1: all lines are blank" + FirstBytes.HEADER));
        this.header = first.fields();
        first.bad().map(ImportLine.Bad::reason).or(this::headerViolation).ifPresent(violation -> {
            throw new CommandFailure("line " + first.line() + ": " + violation);
        });
    }

    /// Returns the error message for the header; empty if it is valid. It has advice for other formats of spreadsheets.
    private Optional<String> headerViolation() {
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
        return nextRecord().map(record -> record.bad().<ImportLine>map(bad -> bad)
                .orElseGet(() -> parse(record.line(), record.fields())));
    }

    @Override
    public long lastLine() {
        return records.lines();
    }

    @Override
    public List<String> ignoredColumns() {
        return header.stream().filter(column -> !COLUMNS.contains(column) && !column.isBlank()).distinct()
                .map(column -> StrictUtf8.decode(column.getBytes(StandardCharsets.ISO_8859_1)).orElse(column)).toList();
    }

    private Optional<CsvRecord> nextRecord() throws IOException {
        Optional<CsvRecord> record = records.next();
        while (record.filter(CsvRecord::isBlank).isPresent()) {
            record = records.next();
        }
        return record;
    }

    private ImportLine parse(long line, List<String> record) {
        if (record.size() != header.size()) {
            return new ImportLine.Bad(line, "there are " + record.size() + " fields instead of " + header.size());
        }
        List<String> violations = new ArrayList<>();
        long id = withIds ? integer(record, "id").orElse(0) : 0;
        if (withIds && id < 1) {
            violations.add(Pet.ID_VIOLATION);
        }
        OptionalLong categoryId = integer(record, "categoryId");
        String statusText = field(record, "status");
        Optional<PetStatus> status = PetStatus.find(statusText);
        Optional<String> name = StrictUtf8.decode(field(record, "name").getBytes(StandardCharsets.ISO_8859_1));
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

    private String field(List<String> record, String column) {
        int index = header.indexOf(column);
        String field = index < 0 ? "" : record.get(index);
        return spreadsheet ? PetCsv.unmarked(field) : field;
    }

    private OptionalLong integer(List<String> record, String column) {
        String text = field(record, column);
        try {
            return INTEGER.matcher(text).matches() ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}
