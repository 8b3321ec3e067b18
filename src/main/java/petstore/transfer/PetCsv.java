package petstore.transfer;

import java.util.regex.Pattern;

import petstore.Pet;
import petstore.Utf8;
import petstore.json.Utf8Builder;

/// Writes animals as records of RFC 4180, below a header. By hand, because a library's writer of characters makes an export take a
/// quarter longer.
final class PetCsv {

    private static final String GUARD = "'";
    private static final Pattern FORMULA = Pattern.compile("'*[=+\\-@\t\r]");

    private PetCsv() {
    }

    static void appendHeader(Utf8Builder csv) {
        csv.append(CsvEntryReader.HEADER).append('\n');
    }

    /// Appends one animal, e.g. `1,Whiskers,7,available`; an absent status is empty.
    ///
    /// @param spreadsheet whether the name is [#guarded]
    static void append(Pet pet, boolean spreadsheet, Utf8Builder csv) {
        csv.append(pet.id()).append(',');
        appendQuoted(spreadsheet ? Utf8.of(guarded(pet.name().toString())) : pet.name(), csv);
        csv.append(',').append(pet.categoryId()).append(',');
        if (pet.status().isPresent()) {
            csv.append(pet.status().get().text());
        }
        csv.append('\n');
    }

    /// Returns the name with an apostrophe in front if a spreadsheet would take it for a formula. So is a name that would be one
    /// without its apostrophes: [#unguarded] takes off exactly one.
    private static String guarded(String name) {
        return FORMULA.matcher(name).lookingAt() ? GUARD + name : name;
    }

    /// Returns the name that [#guarded] was given.
    static String unguarded(String name) {
        return name.startsWith(GUARD) && FORMULA.matcher(name).lookingAt() ? name.substring(GUARD.length()) : name;
    }

    private static void appendQuoted(Utf8 text, Utf8Builder csv) {
        if (isPlain(text)) {
            csv.append(text);
        } else {
            csv.append('"').append(Utf8.of(text.toString().replace("\"", "\"\""))).append('"');
        }
    }

    /// Whether it stands in a record as it is.
    private static boolean isPlain(Utf8 text) {
        byte[] bytes = text.bytes();
        for (int i = text.offset(), end = i + text.length(); i < end; i++) {
            byte b = bytes[i];
            if (b == ',' || b == '"' || b == '\n' || b == '\r') {
                return false;
            }
        }
        return true;
    }
}
