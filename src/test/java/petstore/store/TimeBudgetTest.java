package petstore.store;

import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class TimeBudgetTest {

    /// Milliseconds. A driver would take half a second as 0, which is no limit.
    @ParameterizedTest
    @CsvSource({"1800, 801, 1000", "1800, 600, 2000", "1800, 600, 500", "1800, 600, 0", "5000, 600, 1500",
            "1800, 0, 1000",
            "1800, -1, 1000", "1800, 600, -1000"})
    void refusesPartsThatDoNotFit(int whole, int connection, int statement) {
        assertThatIllegalArgumentException().isThrownBy(() -> new TimeBudget(Duration.ofMillis(whole),
                Duration.ofMillis(connection), Optional.of(Duration.ofMillis(statement))));
    }

    @Test
    void refusesAWaitThatExceedsTheWhole() {
        assertThatIllegalArgumentException().isThrownBy(
                () -> new TimeBudget(Duration.ofSeconds(1), Duration.ofSeconds(2), Optional.empty()));
    }

    @Test
    void acceptsPartsThatFillTheWhole() {
        Duration second = Duration.ofSeconds(1);
        assertThat(new TimeBudget(second.multipliedBy(2), second, Optional.of(second)).whole()).hasSeconds(2);
    }
}
