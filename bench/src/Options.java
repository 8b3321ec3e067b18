import java.nio.file.Path;
import java.util.Set;

/// What the command line asks for.
///
/// @param rounds how often every subject is measured
/// @param seconds how long, each time
/// @param only the groups that are measured; all when empty
/// @param large how many animals the large store has whose figures are compared with those of a small one
/// @param out where the results go
record Options(int rounds, int seconds, Set<String> only, long large, Path out) {

    static Options parse(String[] arguments, Path home) {
        int rounds = 5;
        int seconds = 5;
        Set<String> only = Set.of();
        long large = 10_000_000;
        Path out = home.resolve("target/bench");
        for (int i = 0; i < arguments.length; i += 2) {
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[i] + " needs a value");
            }
            String value = arguments[i + 1];
            switch (arguments[i]) {
                case "--rounds" -> rounds = (int) number(value, 1);
                case "--seconds" -> seconds = (int) number(value, 1);
                case "--only" -> only = Set.of(value.split(","));
                case "--large" -> large = number(value, 10_000);
                case "--out" -> out = Path.of(value).toAbsolutePath();
                default -> throw new IllegalArgumentException(arguments[i] + " is not known");
            }
        }
        return new Options(rounds, seconds, only, large, out);
    }

    private static long number(String text, long least) {
        if (!text.matches("\\d{1,9}") || Long.parseLong(text) < least) {
            throw new IllegalArgumentException(text + " is not a number from " + least + " on");
        }
        return Long.parseLong(text);
    }
}
