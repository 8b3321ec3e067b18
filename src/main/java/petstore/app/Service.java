package petstore.app;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.function.Supplier;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.trace.Tracer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.ApiKey;
import petstore.KeyRing;
import petstore.KeyToken;
import petstore.Scope;
import petstore.http.server.Server;
import petstore.http.telemetry.RequestLog;
import petstore.http.telemetry.Telemetry;
import petstore.log.Audit;
import petstore.store.SqlStore;
import petstore.store.postgres.DatabaseWait;
import petstore.store.sqlite.FolderLock;

/// The running service: the one place where the packages are put together.
public final class Service implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Service.class);
    private static final String FIRST_KEY = "first";

    private final Settings settings;
    private final Optional<FolderLock> lock;
    private final SqlStore store;
    private final ServiceApi api;
    private final Server server;
    private final Optional<KeyToken> firstKey;

    private Service(Settings settings, Optional<FolderLock> lock, SqlStore store, ServiceApi api, Server server,
            Optional<KeyToken> firstKey) {
        this.settings = settings;
        this.lock = lock;
        this.store = store;
        this.api = api;
        this.server = server;
        this.firstKey = firstKey;
    }

    /// Starts the service. Errors: [petstore.Failure] with a message for the operator; nothing is left open then.
    ///
    /// @param wait for a database that cannot commit
    /// @param tracer takes a span for every request; absent when nobody collects them
    /// @param requestLog takes a line for every request
    /// @param onLostDisk called once, when the disk of the embedded store fails to keep what it was given
    public static Service start(Settings settings, DatabaseWait wait, Optional<Tracer> tracer, RequestLog requestLog,
            Runnable onLostDisk, Clock clock) {
        StoreChoice choice = settings.store();
        Optional<FolderLock> lock = choice.database().isPresent()
                ? Optional.empty()
                : Optional.of(FolderLock.serve(choice.folder()));
        return orElse(() -> lock.ifPresent(FolderLock::close), () -> {
            PrometheusMeterRegistry metrics = ProcessMetrics.ofProcess();
            SqlStore store = choice.serve(settings.readers(), wait, onLostDisk, metrics);
            return orElse(store::close, () -> {
                Telemetry telemetry = new Telemetry(metrics, tracer, requestLog);
                ServiceApi api = new ServiceApi(settings.api(), settings.server().tls().isPresent(), store.catalogue(),
                        store.keys(), settings.configuredKey(), store::check, telemetry, metrics, clock);
                return orElse(api::close, () -> {
                    Server server = Server.start(settings.server(), api.api(), api.admin(), telemetry, metrics,
                            api::isMemoryShort, clock);
                    return orElse(server::close, () -> new Service(settings, lock, store, api, server,
                            settings.configuredKey().isPresent()
                                    ? Optional.empty()
                                    : firstKey(store.keys(), clock.instant())));
                });
            });
        });
    }

    /// Goes on with `next`, or undoes what was done when that fails.
    private static Service orElse(Runnable undo, Supplier<Service> next) {
        try {
            return next.get();
        } catch (RuntimeException e) {
            undo.run();
            throw e;
        }
    }

    /// Adds a key if the store has none, so that the service can be used at once. Returns the key that was added.
    private static Optional<KeyToken> firstKey(KeyRing keys, Instant now) {
        KeyToken token = KeyToken.random(new SecureRandom());
        ApiKey key = ApiKey.issued(token, FIRST_KEY, EnumSet.allOf(Scope.class), now, Optional.empty(),
                Optional.empty());
        if (!keys.addFirst(key)) {
            LOG.info("the store has API keys; no first key was made, 'petstore keys create' makes another");
            return Optional.empty();
        }
        Audit.log("create", key);
        return Optional.of(token);
    }

    /// The port of the API.
    public int port() {
        return server.port();
    }

    /// The port of the admin listener.
    public int adminPort() {
        return server.adminPort();
    }

    /// The key that was made because the store had none; to be shown once.
    public Optional<KeyToken> firstKey() {
        return firstKey;
    }

    /// Tells load balancers to go elsewhere, serves on for the shutdown delay, finishes what has begun, and closes the store.
    @Override
    public void close() {
        api.stop();
        try {
            Thread.sleep(settings.server().shutdownDelay());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        server.close();
        api.close();
        store.close();
        lock.ifPresent(FolderLock::close);
    }
}
