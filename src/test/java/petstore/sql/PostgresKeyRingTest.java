package petstore.sql;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import petstore.KeyRing;
import petstore.KeyRingKit;

/// The key ring on PostgreSQL.
class PostgresKeyRingTest extends KeyRingKit {

    private final PostgresUri database = PostgresUri.parse(PostgresServer.newDatabase());
    private SqlStore store;

    @BeforeEach
    void open() {
        store = SqlStore.servePostgres(database, Migrate.AUTO, 16, new SimpleMeterRegistry());
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
    protected void reopen() {
        close();
        open();
    }
}
