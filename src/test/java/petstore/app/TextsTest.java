package petstore.app;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TextsTest {

    @Test
    void anAddressIsWrittenInAscii() {
        assertThat(Texts.uri("https://shop.example/łódź/v1"))
                .hasToString("https://shop.example/%C5%82%C3%B3d%C5%BA/v1");
        assertThat(Texts.uri("https://shop.example/%C5%82/v1")).hasToString("https://shop.example/%C5%82/v1");
    }
}
