package petstore.transfer;

import java.util.regex.Pattern;

import petstore.Pet;
import petstore.PetStatus;

/// Animals as CSV (RFC 4180) below a header. [CsvRecordReader] reads them.
final class PetCsv {

    private static final String GUARD = "'";
    private static final Pattern QUOTED = Pattern.compile("[,\"\n\r]");
    private static final Pattern FORMULA = Pattern.compile("'*[=+\\-@\t\r]");

    private PetCsv() {
    }

    /// Appends an animal, e.g. `1,Whiskers,7,available`; an absent status is empty.
    static void append(Pet pet, boolean spreadsheet, StringBuilder csv) {
        String name = spreadsheet ? guarded(pet.name()) : pet.name();
        csv.append(pet.id()).append(',')
                .append(QUOTED.matcher(name).find() ? '"' + name.replace("\"", "\"\"") + '"' : name).append(',')
                .append(pet.categoryId()).append(',').append(pet.status().map(PetStatus::text).orElse(""))
                .append('\n');
    }

    /// Returns the name, after an apostrophe if a spreadsheet would take it for a formula, with or without its own apostrophes.
    private static String guarded(String name) {
        return FORMULA.matcher(name).lookingAt() ? GUARD + name : name;
    }

    /// Returns the name before [#guarded].
    static String unguarded(String name) {
        return name.startsWith(GUARD) && FORMULA.matcher(name).lookingAt() ? name.substring(GUARD.length()) : name;
    }
}
