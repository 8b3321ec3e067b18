import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/// One row of the table.
///
/// @param peer the figures of the peer; empty if nothing is compared
/// @param error the reason of a missing figure; null if there is a figure
record Result(Work work, Work.Comparison comparison, Figures service, Figures peer, String error) {

    /// The samples of all rounds.
    record Figures(List<Sample> samples) {

        boolean isEmpty() {
            return samples.isEmpty();
        }

        double median() {
            return median(Sample::value);
        }

        double p50Ms() {
            return median(Sample::p50Ms);
        }

        double p99Ms() {
            return median(Sample::p99Ms);
        }

        double least() {
            return sorted(Sample::value)[0];
        }

        double most() {
            return sorted(Sample::value)[samples.size() - 1];
        }

        private double median(ToDoubleFunction<Sample> part) {
            double[] sorted = sorted(part);
            return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
        }

        private double[] sorted(ToDoubleFunction<Sample> part) {
            double[] values = samples.stream().mapToDouble(part).toArray();
            Arrays.sort(values);
            return values;
        }
    }

    /// Returns the ratio of each round, because the machine's speed may differ between rounds; without a peer, the service's figures.
    Figures figures() {
        if (peer.isEmpty()) {
            return service;
        }
        return new Figures(IntStream.range(0, peer.samples().size())
                .mapToObj(round -> Sample.of(service.samples().get(round).value() / peer.samples().get(round).value()))
                .toList());
    }

    /// Returns the median of [#figures], which is compared with the target.
    double figure() {
        return figures().median();
    }

    boolean isJudged() {
        return error == null && comparison.target() != null;
    }

    boolean isReached() {
        return comparison.target().isReached(figure());
    }
}
