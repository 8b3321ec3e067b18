package petstore.app;

import java.util.List;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/// Where measurements are kept.
final class Meters {

    private Meters() {
    }

    /// A registry that measures the process: memory, garbage collection, threads, processors, files, uptime.
    static PrometheusMeterRegistry ofProcess() {
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        for (MeterBinder binder : List.of(new JvmMemoryMetrics(), new JvmGcMetrics(), new JvmThreadMetrics(),
                new ClassLoaderMetrics(),
                new ProcessorMetrics(), new FileDescriptorMetrics(), new UptimeMetrics())) {
            binder.bindTo(meters);
        }
        return meters;
    }
}
