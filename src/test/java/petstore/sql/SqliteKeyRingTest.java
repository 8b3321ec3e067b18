package petstore.sql;

import java.nio.file.Path;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import petstore.KeyRing;
import petstore.KeyRingKit;

/// The key ring on SQLite.
class SqliteKeyRingTest extends KeyRingKit {

    @TempDir
    private Path folder;
    private SqlStore store;

    @BeforeEach
    void open() {
        store = SqlStore.serveSqlite(folder, Migrate.AUTO, () -> {
        }, new SimpleMeterRegistry());
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
        return SqlStore.openSqlite(folder, Migrate.AUTO);
    }

    @Override
    protected void reopen() {
        close();
        open();
    }
}
