import java.util.List;

/// One thing that is measured.
///
/// @param group its name for `--only`
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
    /// @param trial measures it; null when the figure of the service is judged as it is
    /// @param target of the ratio, or of the figure; null if it is only shown
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

        /// Returns the degree to which it was reached: 1 is exactly, more is better.
        double share(double figure) {
            return atLeast ? figure / bound : bound / figure;
        }

        @Override
        public String toString() {
            return (atLeast ? "≥ " : "≤ ") + bound;
        }
    }
}
