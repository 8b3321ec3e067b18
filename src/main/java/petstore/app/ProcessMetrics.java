package petstore.app;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.sun.management.OperatingSystemMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/// Metrics of the process.
final class ProcessMetrics {

    private static final String UNKNOWN = "unknown";

    private ProcessMetrics() {
    }

    static PrometheusMeterRegistry registry(Build build) {
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        // Prometheus wants seconds, and keeps the suffix `_count` for histograms.
        meters.config().meterFilter(MeterFilter.denyNameStartsWith("process.cpu.time"))
                .meterFilter(MeterFilter.denyNameStartsWith("system.cpu.count"));
        for (MeterBinder binder : List.of(new JvmMemoryMetrics(), new JvmThreadMetrics(), new ClassLoaderMetrics(),
                new ProcessorMetrics(), new FileDescriptorMetrics(), new UptimeMetrics(),
                ProcessMetrics::collections, ProcessMetrics::processors)) {
            binder.bindTo(meters);
        }
        Gauge.builder("petstore.build.info", () -> 1).description("The build that is running; the value is always 1.")
                .tag("version", build.version().orElse(UNKNOWN)).tag("commit", build.commit().orElse(UNKNOWN))
                .tag("java", Runtime.version().toString()).register(meters);
        return meters;
    }

    /// Registers processor time and processors under names that Prometheus accepts.
    private static void processors(MeterRegistry meters) {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        FunctionCounter.builder("process.cpu", system, cpu -> cpu.getProcessCpuTime() / 1e9)
                .description("Processor time that the process has used, in seconds.").baseUnit("seconds")
                .register(meters);
        Gauge.builder("system.processors", Runtime.getRuntime()::availableProcessors)
                .description("Processors that Java may use.").register(meters);
    }

    /// Registers the JVM's own counters. Micrometer's `JvmGcMetrics` listens to each collection. That adds half of the collection's
    /// processor time, while requests wait.
    private static void collections(MeterRegistry meters) {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            FunctionTimer
                    .builder("jvm.gc.duration", collector, GarbageCollectorMXBean::getCollectionCount,
                            GarbageCollectorMXBean::getCollectionTime, TimeUnit.MILLISECONDS)
                    .description("Garbage collections.").tag("jvm.gc.name", collector.getName()).register(meters);
        }
    }
}
