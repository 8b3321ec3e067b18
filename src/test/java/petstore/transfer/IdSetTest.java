package petstore.transfer;

import java.io.IOException;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IdSetTest {

    @Test
    void knowsEveryIdThatWasAdded() throws IOException {
        Random random = new Random(1);
        Set<Long> model = new HashSet<>();
        try (IdSet ids = new IdSet()) {
            for (int i = 0; i < 300_000; i++) {
                long id = switch (i % 3) {
                    case 0 -> i + 1;
                    case 1 -> 1 + random.nextLong(Long.MAX_VALUE);
                    default -> 1 + random.nextLong(100_000);
                };
                assertThat(ids.add(id)).as("%d", id).isEqualTo(model.add(id));
            }
            assertThat(ids.add(Long.MAX_VALUE)).isTrue();
            assertThat(ids.add(Long.MAX_VALUE)).isFalse();
        }
    }
}
