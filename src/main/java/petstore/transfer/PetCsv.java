package petstore.transfer;

import petstore.Pet;
import petstore.Utf8;
import petstore.json.Utf8Builder;

/// Writes animals as records of RFC 4180, below a header. By hand, because a library's writer of characters makes an export take a
/// quarter longer.
final class PetCsv {

    private PetCsv() {
    }

    static void appendHeader(Utf8Builder csv) {
        csv.append(CsvEntryReader.HEADER).append('\n');
    }

    /// Appends one animal, e.g. `1,Whiskers,7,available`; an absent status is empty.
    static void append(Pet pet, Utf8Builder csv) {
        csv.append(pet.id()).append(',');
        appendQuoted(pet.name(), csv);
        csv.append(',').append(pet.categoryId()).append(',');
        if (pet.status().isPresent()) {
            csv.append(pet.status().get().text());
        }
        csv.append('\n');
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
