package petstore.store;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.CatalogueVersion;
import petstore.PetQuery;
import petstore.memory.SharedMemory;
import petstore.store.block.BlockCache;
import petstore.store.sqlite.Sqlite;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The version that a process knows while it serves an empty SQLite store.
class KnownVersionTest {

    private static final CatalogueVersion SEVEN = new CatalogueVersion(0, 7);

    @TempDir
    private Path folder;
    private Sqlite sqlite;
    private KnownVersion version;

    @BeforeEach
    void open() {
        sqlite = Sqlite.forService(folder, SchemaPolicy.AUTO, () -> {
        });
        version = new KnownVersion(sqlite);
    }

    @AfterEach
    void close() {
        sqlite.close();
    }

    /// A version may be read before an animal is added, and arrive afterwards. Then a page without the animal would count as current.
    @Test
    void neitherLowerIdNorOlderReadingLowersKnownVersion() {
        version.reached(SEVEN.lastId());
        version.reached(6);
        assertThat(now()).as("version that is read").isEqualTo(SEVEN);
        assertThat(now()).as("version that is known").isEqualTo(SEVEN);
    }

    /// An own write must not carry the number of changes of a later reading, nor hide it.
    @Test
    void followsChangesBySqlAfterASecond() {
        assertThat(now()).isEqualTo(new CatalogueVersion(0, 0));
        assertThat(version.find().map(CatalogueVersion::epoch)).contains(0L);
        try (StoreFile operator = new StoreFile(folder)) {
            operator.execute("INSERT INTO pet (id, name, category_id) VALUES (5, 'Rex', 1)");
            operator.execute("DELETE FROM pet");
        }
        version.reached(SEVEN.lastId());
        await().atMost(Duration.ofSeconds(2)).until(() -> version.find().map(CatalogueVersion::epoch).isEmpty());
        assertThat(now()).isEqualTo(new CatalogueVersion(1, 7));
        assertThat(version.find().map(CatalogueVersion::epoch)).contains(1L);
        version.reached(8);
        assertThat(now()).isEqualTo(new CatalogueVersion(1, 8));
    }

    /// The version expires each second. No page waits until it is read again; the session that reads it is in use here.
    @Test
    void listsDoNotWaitForVersion() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        try (SqlCatalogue catalogue = new SqlCatalogue(sqlite, new SharedMemory(meters), BlockCache.IDS, meters)) {
            var _ = sqlite.readUnqueued(Database.Work.of(_ -> assertThat(
                    catalogue.list(new PetQuery(20, Optional.empty(), 0))).succeedsWithin(Duration.ofSeconds(10))));
            await().until(() -> catalogue.findEpoch().isPresent());
        }
    }

    private CatalogueVersion now() {
        return version.find().orElseGet(version::refresh);
    }
}
