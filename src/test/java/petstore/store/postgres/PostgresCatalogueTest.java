package petstore.store.postgres;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import petstore.Catalogue;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.PostgresServer;

/// The catalogue on PostgreSQL.
class PostgresCatalogueTest extends AbstractCatalogueTest {

    private final String url = PostgresServer.newDatabase();
    private SqlStore store;

    @BeforeEach
    void open() {
        store = new SqlStore(
                Postgres.forService(PostgresUri.parse(url), SchemaPolicy.AUTO, 16,
                        Duration.ofMinutes(2), new AtomicBoolean()),
                new SimpleMeterRegistry());
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
    protected void execute(String sql) {
        PostgresServer.query(url, sql);
    }

    @Override
    protected long recordedRequests() {
        return Long.parseLong(PostgresServer.query(url, "SELECT count(*) FROM idempotency").getFirst());
    }
}
