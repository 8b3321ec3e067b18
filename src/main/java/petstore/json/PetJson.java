package petstore.json;

import java.util.List;

import com.fasterxml.jackson.core.io.CharTypes;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import petstore.Pet;

/// Writes animals as the contract shows them. Source: SPEC `Pet`, `Pets`.
public final class PetJson {

    /// Escapes by ASCII character; 0 for none.
    private static final int[] ESCAPES = CharTypes.get7BitOutputEscapes();
    /// The length of an animal with an ordinary name, in bytes.
    private static final int USUAL_LENGTH = 96;

    private PetJson() {
    }

    /// One animal, e.g. `{"id":1,"name":"Whiskers","categoryId":7,"status":"available"}`; an absent status is left out.
    public static byte[] write(Pet pet) {
        return append(pet, new Utf8Builder(USUAL_LENGTH)).toBytes();
    }

    /// A bare array of animals, in their order.
    public static byte[] write(List<Pet> pets) {
        Utf8Builder json = new Utf8Builder(2 + pets.size() * USUAL_LENGTH);
        char before = '[';
        for (Pet pet : pets) {
            append(pet, json.append(before));
            before = ',';
        }
        return (pets.isEmpty() ? json.append("[]") : json.append(']')).toBytes();
    }

    /// Appends one animal, as [#write(Pet)] writes it.
    public static Utf8Builder append(Pet pet, Utf8Builder json) {
        json.append("{\"id\":").append(pet.id()).append(",\"name\":\"");
        if (!json.appendPlain(pet.name(), ESCAPES)) {
            json.append(JsonStringEncoder.getInstance().quoteAsUTF8(pet.name()));
        }
        json.append("\",\"categoryId\":").append(pet.categoryId());
        if (pet.status().isPresent()) {
            json.append(",\"status\":\"").append(pet.status().get().text()).append('"');
        }
        return json.append('}');
    }
}
