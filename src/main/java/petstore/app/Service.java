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
import petstore.http.server.HttpService;
import petstore.http.telemetry.Instruments;
import petstore.http.telemetry.RequestLog;
import petstore.log.Audit;
import petstore.store.SqlStore;
import petstore.store.postgres.DatabaseWait;
import petstore.store.sqlite.FolderLock;

/// The running service: the one place where the packages are put together.
public final class Service implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Service.class);
    private static final String FIRST_KEY = "first";

    private final Optional<FolderLock> lock;
    private final SqlStore store;
    private final HttpService http;
    private final Optional<KeyToken> firstKey;

    private Service(Optional<FolderLock> lock, SqlStore store, HttpService http, Optional<KeyToken> firstKey) {
        this.lock = lock;
        this.store = store;
        this.http = http;
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
            PrometheusMeterRegistry meters = Meters.ofProcess();
            SqlStore store = choice.serve(settings.readers(), wait, onLostDisk, meters);
            return orElse(store::close, () -> {
                HttpService http = HttpService.start(settings.http(), store.catalogue(), store.keys(),
                        settings.configuredKey(), store::check,
                        new Instruments(meters, tracer, requestLog), clock);
                return orElse(http::close, () -> new Service(lock, store, http, settings.configuredKey().isPresent()
                        ? Optional.empty()
                        : firstKey(store.keys(), clock.instant())));
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
        return http.port();
    }

    /// The port of the admin listener.
    public int adminPort() {
        return http.adminPort();
    }

    /// The key that was made because the store had none; to be shown once.
    public Optional<KeyToken> firstKey() {
        return firstKey;
    }

    /// Finishes what was begun, and gives the store back.
    @Override
    public void close() {
        http.leave();
        http.close();
        store.close();
        lock.ifPresent(FolderLock::close);
    }
}
