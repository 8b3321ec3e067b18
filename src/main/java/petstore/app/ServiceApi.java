package petstore.app;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.bucket4j.TimeMeter;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import petstore.Closer;
import petstore.Failure;
import petstore.http.ApiSettings;
import petstore.http.Dispatcher;
import petstore.http.Health;
import petstore.http.PageCache;
import petstore.http.PetOperations;
import petstore.http.Routes;
import petstore.http.UnavailabilityLog;
import petstore.http.access.Bearer;
import petstore.http.access.BrowserPolicy;
import petstore.http.access.RateLimits;
import petstore.http.message.Api;
import petstore.http.message.KeyScanner;
import petstore.http.telemetry.Telemetry;
import petstore.store.Outage;
import petstore.store.SqlStore;

/// The APIs of both listeners, without sockets, and their background tasks for keys and memory.
public final class ServiceApi implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ServiceApi.class);
    /// With [Bearer], a revoked key is refused within two seconds.
    private static final Duration KEYS_INTERVAL = Duration.ofMillis(500);
    private static final Duration WRITES_INTERVAL = Duration.ofSeconds(1);
    private static final int TASKS = 5;
    private static final long CLOSING_SECONDS = 20;

    private final Bearer bearer;
    private final Health health;
    private final Dispatcher api;
    private final Dispatcher admin;
    private final ExecutorService virtualThreads = Executors
            .newThreadPerTaskExecutor(Thread.ofVirtual().name("request-", 0).factory());
    private final ScheduledExecutorService tasks = Executors.newScheduledThreadPool(TASKS,
            Thread.ofPlatform().name("task-", 0).daemon().factory());
    private final HeapGuard heap;

    /// Throws a [petstore.Failure] of kind `UNAVAILABLE` if the store cannot read its keys.
    public ServiceApi(ApiSettings settings, SqlStore store, Optional<String> configuredKey, String version,
            Telemetry telemetry, PrometheusMeterRegistry metrics, Clock clock) {
        bearer = new Bearer(store.keys(), configuredKey, metrics);
        UnavailabilityLog unavailability = new UnavailabilityLog();
        health = new Health(store::check, version, unavailability);
        heap = new HeapGuard(HeapGuard.MOST_USED, store.memory()::clear, tasks);
        RateLimits limits = new RateLimits(settings.rateLimit(), TimeMeter.SYSTEM_NANOTIME);
        api = new Dispatcher(
                Routes.api(settings,
                        new PetOperations(store.catalogue(), settings.base(), settings.idempotencyRetention(),
                                new PageCache(store.memory()),
                                new KeyScanner(configuredKey), clock),
                        health, virtualThreads),
                bearer, limits, telemetry, new BrowserPolicy(settings.corsOrigins(), settings.tls()), unavailability);
        admin = new Dispatcher(Routes.admin(health, metrics, virtualThreads), bearer,
                limits, telemetry, new BrowserPolicy(List.of(), false), unavailability);
        // The first virtual thread loads their implementation. If no other thread can be started then, loading fails for good.
        tasks.execute(() -> virtualThreads.execute(() -> {
        }));
        repeat(outage("API keys cannot be read", "API keys can be read again"), KEYS_INTERVAL, bearer::refresh);
        repeat(unsavedUses(), WRITES_INTERVAL, bearer::saveUses);
        repeat(outage("writes cannot be tried again", "writes can be tried again"), WRITES_INTERVAL,
                store::retryWrite);
    }

    private static Outage unsavedUses() {
        return outage("the last uses of API keys cannot be saved", "the last uses of API keys can be saved again");
    }

    static Outage outage(String failing, String working) {
        return new Outage(LOG, Level.WARN, failing, working);
    }

    /// Repeats a task until [#close]. It may block.
    ///
    /// @param outage lasts while the task throws
    void repeat(Outage outage, Duration interval, Runnable task) {
        var _ = tasks.scheduleWithFixedDelay(() -> run(outage, task), interval.toMillis(), interval.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    private static void run(Outage outage, Runnable task) {
        try {
            task.run();
            outage.succeeded();
        } catch (RuntimeException | Error e) {
            // A task that throws would not be repeated.
            outage.failed(e instanceof Failure known ? known.explanation() : String.valueOf(e.getMessage()));
        }
    }

    public Api api() {
        return api;
    }

    public Api admin() {
        return admin;
    }

    boolean isMemoryShort() {
        return heap.isShort();
    }

    /// Makes `/readyz` return 503 from now on.
    void stop() {
        health.stop();
    }

    @Override
    public void close() {
        Closer.closeAll(tasks::shutdown, () -> tasks.awaitTermination(CLOSING_SECONDS, TimeUnit.SECONDS),
                virtualThreads::shutdown, () -> run(unsavedUses(), bearer::saveUses));
    }
}
