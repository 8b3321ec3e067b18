package petstore.app;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/// Metrics of the process.
final class ProcessMetrics {

    private ProcessMetrics() {
    }

    /// Returns a registry with metrics of memory, garbage collection, threads, processors, files and uptime.
    static PrometheusMeterRegistry registry() {
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        for (MeterBinder binder : List.of(new JvmMemoryMetrics(), new JvmThreadMetrics(), new ClassLoaderMetrics(),
                new ProcessorMetrics(), new FileDescriptorMetrics(), new UptimeMetrics(),
                ProcessMetrics::collections)) {
            binder.bindTo(meters);
        }
        return meters;
    }

    /// Registers the JVM's own counters. Micrometer's `JvmGcMetrics` listens to each collection, which takes half as much
    /// processor time again, while requests wait.
    private static void collections(MeterRegistry meters) {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            FunctionTimer
                    .builder("jvm.gc.duration", collector, GarbageCollectorMXBean::getCollectionCount,
                            GarbageCollectorMXBean::getCollectionTime, TimeUnit.MILLISECONDS)
                    .description("Garbage collections.").tag("jvm.gc.name", collector.getName()).register(meters);
        }
    }
}
