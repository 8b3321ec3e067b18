import java.nio.file.Path;
import java.util.Set;

/// The command line.
///
/// @param rounds the number of measurements of each subject
/// @param seconds the duration of a measurement
/// @param warmUp the duration of the load before it, in seconds
/// @param only the groups to measure; empty for all
/// @param large the number of animals in the large stores of the growth groups
/// @param out the existing folder for the results
record Options(int rounds, int seconds, int warmUp, Set<String> only, long large, Path out) {

    /// @param values ROUNDS SECONDS WARM_UP GROUPS LARGE OUT, which `bench/run` has verified; commas separate the groups
    static Options of(String[] values) {
        return new Options(Integer.parseInt(values[0]), Integer.parseInt(values[1]),
                Integer.parseInt(values[2]), values[3].isEmpty() ? Set.of() : Set.of(values[3].split(",")),
                Long.parseLong(values[4]), Path.of(values[5]));
    }
}
