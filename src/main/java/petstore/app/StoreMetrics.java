package petstore.app;

import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import petstore.store.Database;

/// Metrics of the store's size, disk and last backup.
///
/// A scrape must not wait for a database or a disk. So it reads the facts of the last [#refresh].
final class StoreMetrics {

    private final Supplier<Database.Facts> source;
    private final MeterRegistry meters;
    private volatile Database.Facts facts;

    /// Registers the metrics of [Database#facts]. Errors: as for `source`.
    StoreMetrics(Supplier<Database.Facts> source, MeterRegistry meters) {
        this.source = source;
        this.meters = meters;
        refresh();
    }

    /// Reads the facts again. Blocks. Errors: as for the source; the metrics stay as they were.
    void refresh() {
        facts = source.get();
        register("petstore.store.size", "bytes", "Size of the database in bytes, without its write-ahead log.",
                Database.Facts::bytes);
        register("petstore.store.log.size", "bytes",
                "Size of the embedded store's write-ahead log in bytes; 0 for PostgreSQL.", Database.Facts::logBytes);
        register("petstore.store.free", "bytes",
                "Bytes that the service may still write to the disk of the embedded store.",
                Database.Facts::freeBytes);
        register("petstore.last.backup.timestamp", "seconds", "Time when the last backup of the embedded store began,"
                + " in seconds since 1970; no sample before the first backup.", Database.Facts::lastBackupSeconds);
    }

    /// Registers a metric once its fact is known. Zero would be wrong: it would mean a backup in 1970, or a full disk.
    private void register(String name, String unit, String description, ToDoubleFunction<Database.Facts> fact) {
        if (!Double.isNaN(fact.applyAsDouble(facts)) && meters.find(name).gauge() == null) {
            Gauge.builder(name, () -> fact.applyAsDouble(facts)).description(description).baseUnit(unit)
                    .register(meters);
        }
    }
}
