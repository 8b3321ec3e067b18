import java.util.Comparator;
import java.util.List;

/// The result of one measurement.
///
/// @param value the figure in the unit of the work, e.g. requests a second
/// @param p50Ms the median duration of a request; NaN if not measured
/// @param p99Ms the 99th percentile of the durations; NaN if not measured
record Sample(double value, double p50Ms, double p99Ms) {

    static Sample of(double value) {
        return new Sample(value, Double.NaN, Double.NaN);
    }

    /// Returns the sample with the median value; the lower of two for an even number of samples.
    static Sample median(List<Sample> samples) {
        return samples.stream().sorted(Comparator.comparingDouble(Sample::value)).toList().get((samples.size() - 1) / 2);
    }
}
