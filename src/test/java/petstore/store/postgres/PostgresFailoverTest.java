package petstore.store.postgres;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.CatalogueVersion;
import petstore.Failure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.testkit.CatalogueKit;
import petstore.testkit.PlainPostgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

/// Another server becomes the primary below a running service. Beside [PostgresWatchTest], so that both wait at the same time.
@Timeout(120)
class PostgresFailoverTest {

    /// The three seconds in which the service notices, and slack for a busy machine.
    private static final Duration LIMIT = Duration.ofSeconds(3 + 2);
    private static final PetQuery ALL = new PetQuery(100, Optional.empty(), 0);
    private static final int WATCHING = 2;

    @TempDir
    private Path folder;

    /// The primary goes on, and takes what it is given, while another server has taken over.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aServerThatIsNoLongerThePrimaryIsLeft(boolean stays) throws IOException {
        PlainPostgres old = new PlainPostgres(folder.resolve("old"));
        try (SqlStore store = serve(old.url())) {
            add(store, "Rex");
        }
        try (old;
                PlainPostgres next = old.standby(folder.resolve("next"));
                SqlStore store = serve("postgresql://postgres@" + old.host() + "," + next.host() + "/postgres")) {
            assertThat(add(store, "lost")).isEqualTo(2);
            assertThat(CatalogueKit.awaited(store.catalogue().find(2)).orElseThrow().name()).hasToString("lost");
            CatalogueVersion before = CatalogueKit.awaited(store.catalogue().version());
            if (!stays) {
                old.kill();
            }
            next.promote();
            awaitInTime(() -> {
                assertThatCode(store::check).doesNotThrowAnyException();
                assertThat(list(store)).extracting(pet -> pet.name()).containsExactly("Rex");
            });
            CatalogueVersion after = CatalogueKit.awaited(store.catalogue().version());
            assertThat(after.epoch()).isEqualTo(before.epoch() + 1);
            assertThat(CatalogueKit.awaited(store.catalogue().find(2))).isEmpty();
            assertThat(add(store, "Tom")).isEqualTo(2);
            assertThat(CatalogueKit.awaited(store.catalogue().find(2)).orElseThrow().name()).hasToString("Tom");
            if (stays) {
                awaitInTime(() -> assertThat(old.connections()).isLessThanOrEqualTo(WATCHING));
                assertThat(old.query("SELECT name FROM pet")).containsExactly("Rex", "lost");
            }
        }
    }

    private static void awaitInTime(ThrowingRunnable assertion) {
        await().atMost(LIMIT).ignoreException(Failure.class).untilAsserted(assertion);
    }

    private static List<Pet> list(SqlStore store) {
        return CatalogueKit.awaited(store.catalogue().list(ALL)).pets();
    }

    private static long add(SqlStore store, String name) {
        return CatalogueKit.awaited(store.catalogue().add(new NewPet(name, 1, Optional.empty()))).id();
    }

    private static SqlStore serve(String url) {
        return new SqlStore(
                Postgres.forService(PostgresUri.parse(url), SchemaPolicy.AUTO, 4, Duration.ofMinutes(2),
                        new AtomicBoolean()),
                new SimpleMeterRegistry());
    }
}
