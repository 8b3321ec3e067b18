package petstore.sql;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.Added;
import petstore.Catalogue;
import petstore.CatalogueKit;
import petstore.IdempotencyKey;
import petstore.NewPet;

import static org.assertj.core.api.Assertions.assertThat;

/// The catalogue on SQLite.
class SqliteCatalogueTest extends CatalogueKit {

    @TempDir
    private Path folder;
    private SqlStore store;

    @BeforeEach
    void open() {
        store = SqlStore.openSqlite(folder, Migrate.AUTO);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Override
    protected Catalogue catalogue() {
        return store.catalogue();
    }

    @Override
    protected void reopen() {
        close();
        open();
    }

    @Test
    void aRetryWhoseAnimalWasTakenAwayBySqlAddsAnother() throws SQLException {
        NewPet pet = new NewPet("Whiskers", 7, Optional.empty());
        IdempotencyKey key = new IdempotencyKey(new IdempotencyKey.Name("a", "createPet", "one"), "fingerprint",
                Instant.EPOCH, Duration.ofDays(1));
        long first = catalogue().addOnce(pet, key).join().pet().id();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + SqliteFile.in(folder));
                Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM pet");
        }
        for (boolean replayed : new boolean[]{false, true}) {
            Added again = catalogue().addOnce(pet, key).join();
            assertThat(again.replayed()).isEqualTo(replayed);
            assertThat(again.pet().id()).isEqualTo(first + 1);
        }
    }
}
