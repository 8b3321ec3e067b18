package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Catalogue;
import petstore.NewPet;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;

/// The catalogue on SQLite.
@ParameterizedClass
@ValueSource(ints = {1, 2, 7, 256})
class SqliteCatalogueTest extends AbstractCatalogueTest {

    @TempDir
    private Path folder;
    @Parameter
    private int idsOfBlock;
    private SqlStore store;

    @BeforeEach
    void open() {
        store = new SqlStore(Sqlite.forService(folder, SchemaPolicy.AUTO, () -> {
        }), new SimpleMeterRegistry(), idsOfBlock);
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

    @Override
    protected long recordedRequests() {
        try (StoreFile file = new StoreFile(folder)) {
            return Long.parseLong(file.text("SELECT count(*) FROM idempotency").getFirst());
        }
    }

    @Override
    protected void execute(String sql) {
        try (StoreFile file = new StoreFile(folder)) {
            file.execute(sql);
        }
    }

    /// A long read keeps later writes in the log.
    @Test
    void truncatesLogAfterLongRead() throws SQLException, IOException {
        Path log = SqliteFile.log(SqliteFile.in(folder));
        List<NewPet> pets = Collections.nCopies(10_000,
                new NewPet("W".repeat(NewPet.MAX_NAME_LENGTH), 7, Optional.empty()));
        try (Connection reader = DriverManager.getConnection("jdbc:sqlite:" + SqliteFile.in(folder));
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.executeQuery("SELECT count(*) FROM pet").close();
            for (long bytes = 0; bytes < 2L * SqliteFile.LARGEST_LOG; bytes = Files.size(log)) {
                catalogue().addAll(pets);
            }
            reader.rollback();
        }
        catalogue().addAll(pets);
        catalogue().addAll(pets);
        assertThat(Files.size(log)).isLessThanOrEqualTo(SqliteFile.LARGEST_LOG);
    }
}
