package petstore.json;

import java.util.List;

import com.fasterxml.jackson.core.io.CharTypes;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import petstore.Pet;
import petstore.Utf8;

/// Writes animals as the contract shows them. Source: SPEC `Pet`, `Pets`.
public final class PetJson {

    private static final Utf8 ID = Utf8.of("{\"id\":");
    private static final Utf8 NAME = Utf8.of(",\"name\":\"");
    private static final Utf8 CATEGORY_ID = Utf8.of("\",\"categoryId\":");
    private static final Utf8 STATUS = Utf8.of(",\"status\":\"");
    /// What is escaped, by the code of a character of ASCII; 0 for what is not.
    private static final int[] ESCAPES = CharTypes.get7BitOutputEscapes();
    /// How long an animal with an ordinary name is, in bytes.
    private static final int USUAL_LENGTH = 96;

    private PetJson() {
    }

    /// One animal, e.g. `{"id":1,"name":"Whiskers","categoryId":7,"status":"available"}`; an absent status is left out.
    public static Utf8 write(Pet pet) {
        return append(pet, new Utf8Builder(USUAL_LENGTH)).toUtf8();
    }

    /// A bare array of animals, in their order.
    public static Utf8 write(List<Pet> pets) {
        Utf8Builder json = new Utf8Builder(2 + pets.size() * USUAL_LENGTH);
        char before = '[';
        for (Pet pet : pets) {
            append(pet, json.append(before));
            before = ',';
        }
        return (pets.isEmpty() ? json.append("[]") : json.append(']')).toUtf8();
    }

    /// Appends one animal, as [#write(Pet)] writes it.
    public static Utf8Builder append(Pet pet, Utf8Builder json) {
        json.append(ID).append(pet.id()).append(NAME);
        appendEscaped(pet.name(), json);
        json.append(CATEGORY_ID).append(pet.categoryId());
        if (pet.status().isPresent()) {
            json.append(STATUS).append(pet.status().get().text()).append('"');
        }
        return json.append('}');
    }

    private static void appendEscaped(Utf8 text, Utf8Builder json) {
        if (isPlain(text)) {
            json.append(text);
        } else {
            byte[] escaped = JsonStringEncoder.getInstance().quoteAsUTF8(text.toString());
            json.append(escaped, 0, escaped.length);
        }
    }

    /// Whether it stands in JSON as it is.
    private static boolean isPlain(Utf8 text) {
        byte[] bytes = text.bytes();
        for (int i = text.offset(), end = i + text.length(); i < end; i++) {
            if (bytes[i] >= 0 && ESCAPES[bytes[i]] != 0) {
                return false;
            }
        }
        return true;
    }
}
