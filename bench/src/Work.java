import java.util.List;

/// A measurement of the service, and its comparisons.
///
/// @param group the name of its group for `--only`
/// @param unit the unit of the figure, e.g. `req/s`
/// @param service measures the service
/// @param comparisons each a row of the table
record Work(String group, String name, String unit, Trial service, List<Comparison> comparisons) {

    /// Starts a subject, measures it once, and stops it.
    interface Trial {
        /// @param round counts from 1; the same for both subjects of a ratio
        Sample run(int round) throws Exception;
    }

    /// @param peer the name of the other subject
    /// @param trial measures the other subject; null if the service's own figure is compared with the target
    /// @param target the target of the ratio, or of the figure; null if there is none
    record Comparison(String peer, Trial trial, Target target) {
    }

    record Target(boolean atLeast, double bound) {

        static Target atLeast(double bound) {
            return new Target(true, bound);
        }

        static Target atMost(double bound) {
            return new Target(false, bound);
        }

        boolean isReached(double figure) {
            return atLeast ? figure >= bound : figure <= bound;
        }

        /// Returns the degree to which a figure reaches the target: 1 is exact, more is better.
        double share(double figure) {
            return atLeast ? figure / bound : bound / figure;
        }

        @Override
        public String toString() {
            return (atLeast ? "≥ " : "≤ ") + bound;
        }
    }
}
