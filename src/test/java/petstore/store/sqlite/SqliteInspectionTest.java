package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.CommandFailure;
import petstore.NewPet;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The checks of a store by `doctor`.
class SqliteInspectionTest {

    private static final int ANIMALS = 25_000;
    private static final Duration ENOUGH = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    @BeforeEach
    void createStore() {
        try (SqlStore store = SqlStore.of(Sqlite.forCommand(folder, SchemaPolicy.AUTO, StoreAccess.CREATE))) {
            store.catalogue().addAll(Collections.nCopies(ANIMALS, new NewPet("Rex", 1, Optional.empty())));
        }
    }

    @Test
    void saysHowMuchItHasChecked() {
        assertThat(SqliteInspection.of(folder, ENOUGH).checked()).isEqualTo("all pages checked");
        assertThat(SqliteInspection.of(folder, ENOUGH, 0).checked()).isEqualTo("all animals checked");
        assertThat(SqliteInspection.of(folder, Duration.ZERO, 0).checked())
                .isEqualTo("animals checked up to id 0 of " + ANIMALS);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE})
    void findsDamagedPageOfSmallAndLargeStore(long mostCheckedBytes) throws IOException {
        SqliteTest.zeroPage(folder, "SELECT pageno FROM dbstat WHERE name = 'pet' AND pagetype = 'leaf'"
                + " ORDER BY path LIMIT 1 OFFSET 50");
        assertThatThrownBy(() -> SqliteInspection.of(folder, ENOUGH, mostCheckedBytes))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("put a backup in its place with 'petstore restore FILE'");
    }
}
