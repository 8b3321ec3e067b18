package petstore.transfer;

import java.util.regex.Pattern;

import petstore.Pet;
import petstore.PetStatus;

/// Animals as CSV (RFC 4180) below a header. [CsvRecordReader] reads them.
final class PetCsv {

    private static final char MARK = '\'';
    /// The ends of fields and lines in a spreadsheet. If it splits lines at semicolons, quotes within them do not protect a name.
    private static final String SPLIT = "\r\n?|[;\t\n]";
    private static final Pattern PART_END = Pattern.compile(SPLIT);
    private static final Pattern MARKED_PART_END = Pattern.compile("(" + SPLIT + ")" + MARK);
    private static final Pattern QUOTED = Pattern.compile("[,;\t\"\n\r]");
    /// Spreadsheets round longer integers.
    private static final long GREATEST_EXACT = 999_999_999_999_999L;

    private PetCsv() {
    }

    /// Appends an animal, e.g. `1,Whiskers,7,available`; an absent status is empty.
    static void append(Pet pet, boolean spreadsheet, StringBuilder csv) {
        String name = spreadsheet ? marked(pet.name()) : pet.name();
        append(pet.id(), spreadsheet, csv).append(',')
                .append(QUOTED.matcher(name).find() ? '"' + name.replace("\"", "\"\"") + '"' : name).append(',');
        append(pet.categoryId(), spreadsheet, csv).append(',').append(pet.status().map(PetStatus::text).orElse(""))
                .append('\n');
    }

    private static StringBuilder append(long integer, boolean spreadsheet, StringBuilder csv) {
        boolean exact = integer >= -GREATEST_EXACT && integer <= GREATEST_EXACT;
        return (spreadsheet && !exact ? csv.append(MARK) : csv).append(integer);
    }

    /// Returns a name that stays as it is in a spreadsheet: an apostrophe stands before it, and before each part that may be split off.
    private static String marked(String name) {
        return MARK + PART_END.matcher(name).replaceAll("$0" + MARK);
    }

    /// Returns a field without the apostrophes of an export for spreadsheets. A field that begins with no apostrophe is unchanged, because
    /// somebody typed it in a spreadsheet.
    static String unmarked(String field) {
        return !field.isEmpty() && field.charAt(0) == MARK
                ? MARKED_PART_END.matcher(field.substring(1)).replaceAll("$1")
                : field;
    }
}
