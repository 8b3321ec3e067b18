package petstore.app;

import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.trace.Tracer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.ApiKey;
import petstore.Closer;
import petstore.KeyRing;
import petstore.KeyToken;
import petstore.SafeText;
import petstore.Scope;
import petstore.http.message.KeyScanner;
import petstore.http.server.Server;
import petstore.http.server.ServerSettings;
import petstore.http.telemetry.RequestLog;
import petstore.http.telemetry.Telemetry;
import petstore.log.Audit;
import petstore.store.SqlStore;

/// The running service. This class puts the packages together.
///
/// @param firstKey the key that was created because the store had none; show it only once
public record Service(int port, int adminPort, Optional<KeyToken> firstKey, Closer parts) implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Service.class);
    private static final Duration METRICS_INTERVAL = Duration.ofSeconds(5);

    /// Starts the service. Errors: [petstore.CommandFailure], or [petstore.Failure] if the open store fails; every part is closed then.
    ///
    /// @param tracer gets a span for each request; absent if spans are not exported
    public static Service start(Settings settings, AtomicBoolean waiting, Optional<Tracer> tracer,
            RequestLog requestLog,
            Runnable onLostDisk, Clock clock) {
        StoreChoice choice = settings.store();
        try (Closer parts = new Closer()) {
            Build build = Build.running();
            PrometheusMeterRegistry metrics = ProcessMetrics.registry(build);
            SqlStore store = parts.add(new SqlStore(
                    choice.serve(settings.readers(), settings.databaseWait(), waiting, onLostDisk), metrics,
                    settings.idsOfBlock()));
            Telemetry telemetry = new Telemetry(metrics, tracer, requestLog,
                    new KeyScanner(settings.configuredKey()));
            ServiceApi api = parts.add(new ServiceApi(settings.api(), store, settings.configuredKey(),
                    build.toString(), telemetry, metrics, clock));
            Server server = parts.add(Server.start(settings.server(), api.api(), api.admin(), telemetry, metrics,
                    api::isMemoryShort, clock));
            StoreMetrics facts = new StoreMetrics(store::facts, metrics);
            api.repeat(
                    ServiceApi.outage("metrics of the store cannot be read", "metrics of the store can be read again"),
                    METRICS_INTERVAL, facts::refresh);
            store.announce(settings.server().scheme()
                    + ServerSettings.authority(settings.server().host(), server.port()) + "/v1");
            Optional<KeyToken> firstKey = settings.configuredKey().isPresent()
                    ? Optional.empty()
                    : addFirstKey(store.keys());
            waiting.set(false);
            parts.add(() -> {
                server.announceStop();
                Thread.sleep(settings.server().shutdownDelay());
            });
            parts.add(api::stop);
            return new Service(server.port(), server.adminPort(), firstKey, parts.handOver());
        }
    }

    private static Optional<KeyToken> addFirstKey(KeyRing keys) {
        KeyToken token = KeyToken.random();
        ApiKey key = ApiKey.issued(token, "first", EnumSet.allOf(Scope.class), keys.known().now(), Optional.empty(),
                Optional.empty());
        if (!keys.addFirst(key)) {
            LOG.info("the store has API keys, so no first key was created; '{}' creates another",
                    SafeText.command("keys create"));
            return Optional.empty();
        }
        Audit.log("create", key);
        return Optional.of(token);
    }

    /// Makes the service unready, serves for the shutdown delay, completes the requests in flight, and closes the store.
    @Override
    public void close() {
        parts.close();
    }
}
