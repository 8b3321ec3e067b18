package petstore.store;

import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class TimeBudgetTest {

    /// Milliseconds.
    @ParameterizedTest
    @CsvSource({"1800, 801, 400, 500, 1000", "1800, 0, 400, 500, 1000", "1800, -1, 400, 500, 1000",
            "1800, 600, 0, 500, 1000", "1800, 600, 500, 500, 1000", "1800, 600, 600, 500, 1000",
            "1800, 600, 400, 1000, 1000", "1800, 600, 400, 1100, 1000"})
    void refusesPartsThatDoNotFit(int whole, int connection, int lock, int statement, int response) {
        assertThatIllegalArgumentException().isThrownBy(() -> new TimeBudget(Duration.ofMillis(whole),
                Duration.ofMillis(connection), Optional.of(new TimeBudget.Statement(Duration.ofMillis(lock),
                        Duration.ofMillis(statement), Duration.ofMillis(response)))));
    }

    @Test
    void refusesAWaitThatExceedsTheWhole() {
        assertThatIllegalArgumentException().isThrownBy(
                () -> new TimeBudget(Duration.ofSeconds(1), Duration.ofSeconds(2), Optional.empty()));
    }

    @Test
    void acceptsPartsThatFillTheWhole() {
        Duration second = Duration.ofSeconds(1);
        assertThat(new TimeBudget(second.multipliedBy(4), second, Optional.of(
                new TimeBudget.Statement(second, second.multipliedBy(2), second.multipliedBy(3)))).whole())
                .hasSeconds(4);
    }
}
