package petstore.store.postgres;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.junit.jupiter.api.Test;
import petstore.store.postgres.watch.ServerState;
import petstore.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class PostgresPoolTest {

    /// Threads of requests live as long as the service. They must not keep the pools of servers that were left.
    @Test
    void nothingOfClosedPoolStays() throws Exception {
        PostgresUri address = PostgresUri.parse(PostgresServer.newDatabase());
        List<WeakReference<PostgresPool>> pools = new ArrayList<>();
        try (ExecutorService reader = Executors.newSingleThreadExecutor();
                PostgresHost host = new PostgresHost(new PostgresConnector(false), address)) {
            ServerState server = host.observe();
            for (int i = 0; i < 5; i++) {
                pools.add(reader.submit(() -> usedAndClosed(host, server)).get());
            }
            await().untilAsserted(() -> {
                System.gc();
                assertThat(pools).allMatch(pool -> pool.refersTo(null));
            });
        }
    }

    private static WeakReference<PostgresPool> usedAndClosed(PostgresHost host, ServerState server) throws Exception {
        PostgresPool pool = new PostgresPool(host, server, 2);
        for (int i = 0; i < 2; i++) {
            pool.connect().close();
        }
        pool.close();
        pool.awaitClosed();
        return new WeakReference<>(pool);
    }
}
