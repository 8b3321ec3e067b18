import java.util.Comparator;
import java.util.List;

/// What one measurement gave.
///
/// @param value in the unit of the work, e.g. requests a second
/// @param p50Ms the median of how long a request took; NaN where that is not measured
/// @param p99Ms its 99th percentile; NaN where that is not measured
record Sample(double value, double p50Ms, double p99Ms) {

    static Sample of(double value) {
        return new Sample(value, Double.NaN, Double.NaN);
    }

    /// The one in the middle; of an even number the lower of the two.
    static Sample median(List<Sample> samples) {
        return samples.stream().sorted(Comparator.comparingDouble(Sample::value)).toList().get((samples.size() - 1) / 2);
    }
}
