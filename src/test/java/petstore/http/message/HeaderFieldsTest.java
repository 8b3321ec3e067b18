package petstore.http.message;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HeaderFieldsTest {

    /// Otherwise, an operation would take a field that is dropped for one that the client has not sent.
    @Test
    void dropsFieldsThatServiceDoesNotReadAndFailsIfOneIsAskedFor() {
        HeaderFields fields = new HeaderFields(name -> name.toString().equalsIgnoreCase("If-Match"))
                .add("IF-MATCH", "a")
                .add("If-Range", "b");
        assertThat(fields.first("If-Match")).isEqualTo("a");
        assertThatThrownBy(() -> fields.first("If-Range")).isInstanceOf(AssertionError.class)
                .hasMessageContaining("HeaderFields.READ");
    }
}
