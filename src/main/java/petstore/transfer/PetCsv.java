package petstore.transfer;

import java.util.regex.Pattern;

import petstore.Pet;

/// Animals as CSV (RFC 4180) below a header. By hand, because FastCSV's writer is slower.
final class PetCsv {

    private static final String GUARD = "'";
    private static final Pattern QUOTED = Pattern.compile("[,\"\n\r]");
    private static final Pattern FORMULA = Pattern.compile("'*[=+\\-@\t\r]");

    private PetCsv() {
    }

    /// Appends an animal, e.g. `1,Whiskers,7,available`; an absent status is empty.
    static void append(Pet pet, boolean spreadsheet, StringBuilder csv) {
        csv.append(pet.id()).append(',');
        appendQuoted(spreadsheet ? guarded(pet.name()) : pet.name(), csv);
        csv.append(',').append(pet.categoryId()).append(',');
        if (pet.status().isPresent()) {
            csv.append(pet.status().get().text());
        }
        csv.append('\n');
    }

    /// Returns the name, after an apostrophe if a spreadsheet would take it for a formula, with or without its own apostrophes.
    private static String guarded(String name) {
        return FORMULA.matcher(name).lookingAt() ? GUARD + name : name;
    }

    /// Returns the name before [#guarded].
    static String unguarded(String name) {
        return name.startsWith(GUARD) && FORMULA.matcher(name).lookingAt() ? name.substring(GUARD.length()) : name;
    }

    private static void appendQuoted(String text, StringBuilder csv) {
        if (QUOTED.matcher(text).find()) {
            csv.append('"').append(text.replace("\"", "\"\"")).append('"');
        } else {
            csv.append(text);
        }
    }
}
