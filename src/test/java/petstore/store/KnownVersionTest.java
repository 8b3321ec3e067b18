package petstore.store;

import java.nio.file.Path;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.CatalogueVersion;
import petstore.store.sqlite.Sqlite;

import static org.assertj.core.api.Assertions.assertThat;

/// What a process that serves SQLite knows of the version, on a store in which there is nothing yet.
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
        version = new KnownVersion(sqlite, new SimpleMeterRegistry());
    }

    @AfterEach
    void close() {
        version.close();
        sqlite.close();
    }

    /// A version may be read before an animal is added and arrive afterwards. A page without the animal would count as new.
    @Test
    void whatIsReadDoesNotTakeBackWhatWasReached() {
        version.reached(SEVEN.lastId());
        assertThat(version.now().join()).as("read").isEqualTo(SEVEN);
        assertThat(version.now().join()).as("known").isEqualTo(SEVEN);
    }

    @Test
    void whatIsReachedOutOfTurnDoesNotEither() {
        version.reached(SEVEN.lastId());
        version.reached(6);
        assertThat(version.now().join()).isEqualTo(SEVEN);
    }
}
