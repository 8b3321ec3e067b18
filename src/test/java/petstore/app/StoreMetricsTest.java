package petstore.app;

import java.util.concurrent.atomic.AtomicReference;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import petstore.store.Database.Facts;

import static org.assertj.core.api.Assertions.assertThat;

class StoreMetricsTest {

    private static final String BACKUP = "petstore_last_backup_timestamp_seconds ";

    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final AtomicReference<Facts> facts = new AtomicReference<>(new Facts(1, 0, 100, Double.NaN));

    @Test
    void exposesMetricOnceItsValueIsKnown() {
        StoreMetrics metrics = new StoreMetrics(facts::get, meters);
        assertThat(meters.scrape()).contains("petstore_store_free_bytes 100.0").doesNotContain(BACKUP);
        facts.set(new Facts(1, 0, 90, 7));
        assertThat(meters.scrape()).as("a scrape does not read the store").contains("petstore_store_free_bytes 100.0");
        metrics.refresh();
        assertThat(meters.scrape()).contains("petstore_store_free_bytes 90.0", BACKUP + "7.0");
        facts.set(new Facts(1, 0, 90, 8));
        metrics.refresh();
        assertThat(meters.scrape()).contains(BACKUP + "8.0");
    }

    /// Micrometer logs the first repeated registration in a process at level WARN, and later repetitions at level DEBUG.
    @Test
    void registersEachMetricOnce() {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger micrometer = (Logger) LoggerFactory.getLogger(MeterRegistry.class.getPackageName());
        micrometer.addAppender(log);
        micrometer.setLevel(Level.DEBUG);
        try {
            StoreMetrics metrics = new StoreMetrics(facts::get, meters);
            metrics.refresh();
            metrics.refresh();
            assertThat(log.list).map(ILoggingEvent::getFormattedMessage).noneMatch(line -> line.contains("registered"));
            Gauge.builder("petstore.store.size", () -> 1).baseUnit("bytes").register(meters);
            assertThat(log.list).map(ILoggingEvent::getFormattedMessage).anyMatch(line -> line.contains("registered"));
        } finally {
            micrometer.setLevel(null);
            micrometer.detachAppender(log);
        }
    }
}
