package petstore.json;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.Test;
import petstore.Pet;
import petstore.PetStatus;

import static org.assertj.core.api.Assertions.assertThat;

class PetJsonTest {

    private static final JsonMapper JACKSON = JsonMapper.builder().build();

    @Test
    void escapesNamesLikeJackson() throws IOException {
        for (int c : IntStream.concat(IntStream.range(0, 0x800), IntStream.of(0x2028, 0xd7ff, 0xe000, 0xffff, 0x1f600))
                .toArray()) {
            String name = "a" + Character.toString(c) + "z";
            assertThat(text(new Pet(1, name, 7, Optional.of(PetStatus.SOLD))))
                    .isEqualTo("{\"id\":1,\"name\":"
                            + JACKSON.writeValueAsString(name) + ",\"categoryId\":7,\"status\":\"sold\"}");
        }
    }

    @Test
    void writesExtremeNumbersAndOmitsAnAbsentStatus() {
        assertThat(text(new Pet(Long.MAX_VALUE, "Rex", Long.MIN_VALUE, Optional.empty())))
                .isEqualTo("{\"id\":9223372036854775807,\"name\":\"Rex\",\"categoryId\":-9223372036854775808}");
    }

    @Test
    void writesAnArrayOfAnyLength() throws IOException {
        for (int size : new int[]{0, 1, 2, 100}) {
            List<Pet> pets = IntStream.rangeClosed(1, size)
                    .mapToObj(id -> new Pet(id, "é".repeat(id), id, Optional.<PetStatus>empty())).toList();
            JsonNode array = JACKSON.readTree(PetJson.write(pets));
            assertThat(array).hasSize(size);
            for (int i = 0; i < size; i++) {
                assertThat(array.get(i).get("name").textValue()).isEqualTo(pets.get(i).name());
            }
        }
    }

    private static String text(Pet pet) {
        return new String(PetJson.write(pet), StandardCharsets.UTF_8);
    }
}
