package petstore.store.sqlite;

import java.nio.file.Path;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import petstore.KeyRing;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.store.StoreAccess;
import petstore.testkit.AbstractKeyRingTest;
import petstore.testkit.StoreFile;

/// The key ring on SQLite.
class SqliteKeyRingTest extends AbstractKeyRingTest {

    @TempDir
    private Path folder;
    private SqlStore store;

    @BeforeEach
    void open() {
        store = new SqlStore(Sqlite.forService(folder, SchemaPolicy.AUTO, () -> {
        }), new SimpleMeterRegistry());
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Override
    protected KeyRing keys() {
        return store.keys();
    }

    @Override
    protected SqlStore openAnother() {
        return SqlStore.of(Sqlite.forCommand(folder, SchemaPolicy.AUTO, StoreAccess.CREATE));
    }

    @Override
    protected void execute(String sql) {
        try (StoreFile file = new StoreFile(folder)) {
            file.execute(sql);
        }
    }

    @Override
    protected void reopen() {
        close();
        open();
    }
}
