package petstore.store.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Catalogue;
import petstore.NewPet;
import petstore.PetQuery;
import petstore.store.SchemaPolicy;
import petstore.store.SqlStore;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;

/// The catalogue on PostgreSQL.
@ParameterizedClass
@ValueSource(ints = {1, 2, 7, 256})
class PostgresCatalogueTest extends AbstractCatalogueTest {

    private final String url = PostgresServer.newDatabase();
    @Parameter
    private int idsOfBlock;
    private SqlStore store;

    @BeforeEach
    void open() {
        store = new SqlStore(
                Postgres.forService(PostgresUri.parse(url), SchemaPolicy.AUTO, 16,
                        Duration.ofMinutes(2), new AtomicBoolean()),
                new SimpleMeterRegistry(), idsOfBlock);
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

    @Test
    void addsAnimalsDuringOpenTransactionThatDeletes() throws SQLException {
        NewPet rex = new NewPet("Rex", 7, Optional.empty());
        catalogue().addAll(List.of(rex));
        try (Connection operator = PostgresServer.connect(url); Statement statement = operator.createStatement()) {
            operator.setAutoCommit(false);
            statement.execute("DELETE FROM pet");
            assertThat(added(catalogue(), rex).id()).isEqualTo(2);
            operator.commit();
        }
        assertThat(list(catalogue(), new PetQuery(1, Optional.empty(), 0)).pets())
                .containsExactly(rex.withId(2));
    }

    @Override
    protected long recordedRequests() {
        return Long.parseLong(PostgresServer.query(url, "SELECT count(*) FROM idempotency").getFirst());
    }
}
