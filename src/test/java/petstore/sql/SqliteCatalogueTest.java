package petstore.sql;

import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import petstore.Catalogue;
import petstore.CatalogueKit;

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
}
