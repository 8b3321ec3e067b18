package petstore.json;

import java.nio.charset.StandardCharsets;
import java.util.List;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import petstore.Pet;

/// Writes animals as the contract shows them. Source: SPEC `Pet`, `Pets`.
public final class PetJson {

    /// The length of an animal with an ordinary name.
    private static final int USUAL_LENGTH = 96;

    private PetJson() {
    }

    /// Returns one animal, e.g. `{"id":1,"name":"Whiskers","categoryId":7,"status":"available"}`; an absent status is left out.
    public static byte[] write(Pet pet) {
        return utf8(append(pet, new StringBuilder(USUAL_LENGTH)));
    }

    /// Returns an array of animals, in their order.
    public static byte[] write(List<Pet> pets) {
        StringBuilder json = new StringBuilder(2 + pets.size() * USUAL_LENGTH).append('[');
        for (Pet pet : pets) {
            append(pet, json).append(',');
        }
        json.setLength(Math.max(1, json.length() - 1));
        return utf8(json.append(']'));
    }

    /// Appends one animal, as [#write(Pet)] writes it. By hand, because a generator for each animal makes an export slower.
    public static StringBuilder append(Pet pet, StringBuilder json) {
        json.append("{\"id\":").append(pet.id()).append(",\"name\":\"");
        appendEscaped(pet.name(), json);
        json.append("\",\"categoryId\":").append(pet.categoryId());
        if (pet.status().isPresent()) {
            json.append(",\"status\":\"").append(pet.status().get().text()).append('"');
        }
        return json.append('}');
    }

    /// Most names need no escapes, and are copied at once.
    private static void appendEscaped(String text, StringBuilder json) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c == '"' || c == '\\') {
                JsonStringEncoder.getInstance().quoteAsString(text, json);
                return;
            }
        }
        json.append(text);
    }

    private static byte[] utf8(StringBuilder json) {
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }
}
