package petstore.http.server.codec;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import petstore.http.message.HeaderFields;
import petstore.http.message.TrustedProxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class KeptFieldsTest {

    /// Otherwise, an operation would take a field that is dropped for one that the client has not sent.
    @Test
    void dropsFieldsThatServiceDoesNotReadAndFailsIfOneIsAskedFor() {
        Map<CharSequence, CharSequence> sent = Map.of("IF-MATCH", "a", "x-client", "b", "If-Range", "c");
        HeaderFields fields = new KeptFields(new TrustedProxies(List.of(), "X-Client")).of(sent.entrySet().iterator());
        assertThat(fields.first("If-Match")).isEqualTo("a");
        assertThat(fields.first("X-Client")).isEqualTo("b");
        assertThatThrownBy(() -> fields.first("If-Range")).isInstanceOf(AssertionError.class)
                .hasMessageContaining("HeaderFields.READ");
    }
}
