package petstore.json;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

import com.fasterxml.jackson.core.JsonGenerator;
import petstore.Pet;
import petstore.PetStatus;

/// Writes animals as the contract shows them. Source: SPEC `Pet`, `Pets`.
public final class PetJson {

    private PetJson() {
    }

    /// One animal, e.g. `{"id":1,"name":"Whiskers","categoryId":7,"status":"available"}`; an absent status is left out.
    public static byte[] write(Pet pet) {
        return Json.bytes(json -> write(json, pet));
    }

    /// A bare array of animals, in their order.
    public static byte[] write(List<Pet> pets) {
        return Json.bytes(json -> {
            json.writeStartArray();
            for (Pet pet : pets) {
                write(json, pet);
            }
            json.writeEndArray();
        });
    }

    /// Animals one by one, each followed by a line feed (NDJSON).
    public static final class Lines implements Closeable {
        private final JsonGenerator json;

        /// @param out is closed with this
        public Lines(OutputStream out) throws IOException {
            json = Json.FACTORY.createGenerator(out).setRootValueSeparator(null);
        }

        public void write(Pet pet) throws IOException {
            PetJson.write(json, pet);
            json.writeRaw('\n');
        }

        @Override
        public void close() throws IOException {
            json.close();
        }
    }

    private static void write(JsonGenerator json, Pet pet) throws IOException {
        json.writeStartObject();
        json.writeNumberField("id", pet.id());
        json.writeStringField("name", pet.name());
        json.writeNumberField("categoryId", pet.categoryId());
        if (pet.status().isPresent()) {
            PetStatus status = pet.status().get();
            json.writeStringField("status", status.text());
        }
        json.writeEndObject();
    }
}
