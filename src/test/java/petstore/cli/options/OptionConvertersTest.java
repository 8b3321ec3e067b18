package petstore.cli.options;

import java.time.Duration;
import java.util.List;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.http.BaseUrl;
import picocli.CommandLine.TypeConversionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class OptionConvertersTest {

    @Test
    void writesBaseUrlInAscii() {
        assertThat(BaseUrl.parse("https://shop.example/łódź/v1"))
                .hasToString("https://shop.example/%C5%82%C3%B3d%C5%BA/v1");
        assertThat(BaseUrl.parse("https://shop.example/%C5%82/v1"))
                .hasToString("https://shop.example/%C5%82/v1");
    }

    @Test
    void acceptsTheLimits() {
        assertThat(OptionConverters.duration("1ms")).isEqualTo(Duration.ofMillis(1));
        assertThat(OptionConverters.duration("36500d")).isEqualTo(Duration.ofDays(36_500));
        assertThat(new OptionConverters.Port().convert("0")).isZero();
        assertThat(new OptionConverters.Port().convert("65535")).isEqualTo(65_535);
        assertThat(new OptionConverters.Readers().convert("1")).isEqualTo(1);
        assertThat(new OptionConverters.Readers().convert("1000")).isEqualTo(1_000);
        assertThat(new OptionConverters.Connections().convert("1")).isEqualTo(1);
        assertThat(new OptionConverters.Connections().convert("2147483647")).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void refusesValuesBeyondTheLimits() {
        assertRefused(() -> OptionConverters.duration("0ms"), "is too short");
        assertRefused(() -> OptionConverters.duration("36501d"), "is longer than 36500d");
        assertRefused(() -> new OptionConverters.Port().convert("65536"), "between 0 and 65535");
        for (String readers : List.of("0", "1001")) {
            assertRefused(() -> new OptionConverters.Readers().convert(readers), "between 1 and 1000");
        }
        for (String connections : List.of("0", "2147483648", "9999999999")) {
            assertRefused(() -> new OptionConverters.Connections().convert(connections), "between 1 and 2147483647");
        }
    }

    private static void assertRefused(ThrowingCallable conversion, String message) {
        assertThatThrownBy(conversion).isInstanceOf(TypeConversionException.class).hasMessageContaining(message);
    }

    @Test
    void truncatesMomentsToMilliseconds() {
        assertThat(OptionConverters.instant("2027-01-31T12:00:00.0079Z")).hasToString("2027-01-31T12:00:00.007Z");
        assertThat(OptionConverters.instant("2027-01-31")).hasToString("2027-01-31T00:00:00Z");
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "2027-02-30", "+10000-01-01", "+999999999-12-31", "+300000000-01-01T00:00:00Z",
            "-999999999-01-01"})
    void refusesInvalidAndOutOfRangeMoments(String text) {
        assertThatThrownBy(() -> OptionConverters.instant(text)).isInstanceOf(TypeConversionException.class)
                .hasMessage("'" + text + "' is not a moment such as 2027-01-31 or 2027-01-31T12:00:00Z");
    }
}
