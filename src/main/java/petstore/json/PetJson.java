package petstore.json;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import petstore.Pet;
import petstore.Utf8;

/// Writes animals as the contract shows them. Source: SPEC `Pet`, `Pets`.
public final class PetJson {

    // Encoded once, not with every animal.
    private static final SerializedString ID = new SerializedString("id");
    private static final SerializedString NAME = new SerializedString("name");
    private static final SerializedString CATEGORY_ID = new SerializedString("categoryId");
    private static final SerializedString STATUS = new SerializedString("status");

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
        json.writeFieldName(ID);
        json.writeNumber(pet.id());
        json.writeFieldName(NAME);
        Utf8 name = pet.name();
        json.writeUTF8String(name.bytes(), name.offset(), name.length());
        json.writeFieldName(CATEGORY_ID);
        json.writeNumber(pet.categoryId());
        if (pet.status().isPresent()) {
            json.writeFieldName(STATUS);
            json.writeString(pet.status().get().text());
        }
        json.writeEndObject();
    }
}
