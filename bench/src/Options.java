import java.nio.file.Path;
import java.util.Set;

/// What the command line asks for.
///
/// @param rounds how often every subject is measured
/// @param seconds how long, each time
/// @param warmUp how many seconds it is under load before
/// @param only the groups that are measured; all when empty
/// @param large how many animals the large store has whose figures are compared with those of a small one
/// @param out the folder, which exists, where the results go
record Options(int rounds, int seconds, int warmUp, Set<String> only, long large, Path out) {

    /// @param values ROUNDS SECONDS WARM_UP GROUPS LARGE OUT, which `bench/run` has verified; the groups by commas
    static Options of(String[] values) {
        return new Options(Integer.parseInt(values[0]), Integer.parseInt(values[1]),
                Integer.parseInt(values[2]), values[3].isEmpty() ? Set.of() : Set.of(values[3].split(",")),
                Long.parseLong(values[4]), Path.of(values[5]));
    }
}
