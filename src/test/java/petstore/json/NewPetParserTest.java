package petstore.json;

import java.io.IOException;
import java.util.Optional;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Failure;
import petstore.NewPet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class NewPetParserTest {

    @Test
    void reportsPositionOfSyntaxErrorAndRepeatedMember() {
        assertRefused("{\"name\":'Rex'}", "the body is not valid JSON at character 9");
        assertRefused("{\"name\":\"Rex\"", "the body is not valid JSON at character 14");
        assertRefused("{\"name\":\"Rex\",\"n\\u0061me\":\"Rex\"}", "the body has a member twice at character 26");
    }

    /// Bodies with names of the same hash must not reach a table that others share.
    @Test
    void keepsNoNameOfEarlierBody() throws IOException {
        assertThat(firstName()).isEqualTo("unknown").isNotSameAs(firstName());
    }

    private static String firstName() throws IOException {
        try (JsonParser body = Json.FACTORY.createParser("{\"unknown\":1}")) {
            assertThat(body.nextToken()).isEqualTo(JsonToken.START_OBJECT);
            return body.nextFieldName();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\uFEFF", "a\0", "\uD800"})
    void newPetRefusesInvalidNames(String name) {
        assertThatThrownBy(() -> new NewPet(name, 7, Optional.empty())).isInstanceOf(Failure.class)
                .hasMessageStartingWith("name must");
    }

    private static void assertRefused(String body, String message) {
        assertThatThrownBy(() -> NewPetParser.parse(body.getBytes(UTF_8))).isInstanceOf(Failure.class)
                .hasMessage(message);
    }
}
