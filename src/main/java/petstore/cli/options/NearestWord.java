package petstore.cli.options;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/// Suggestions for mistyped commands, options and variables.
final class NearestWord {

    private NearestWord() {
    }

    /// Returns the end of a message that suggests the nearest known word; empty if no word is near. A near word differs in case, by one
    /// wrong, missing or extra letter, or by two swapped neighbours. Of several near words, it suggests the one with the longest common
    /// beginning; of those, the longest.
    static String suggestion(String word, Collection<String> known) {
        String lower = word.toLowerCase(Locale.ROOT);
        return known.contains(word)
                ? ""
                : known.stream().filter(other -> isNear(lower, other.toLowerCase(Locale.ROOT)))
                        .max(Comparator.comparing(word::equalsIgnoreCase)
                                .thenComparingInt(other -> commonBeginning(lower, other.toLowerCase(Locale.ROOT)))
                                .thenComparingInt(String::length))
                        .map(meant -> "; did you mean " + meant + "?").orElse("");
    }

    private static boolean isNear(String word, String other) {
        int at = commonBeginning(word, other);
        String left = word.substring(at);
        String right = other.substring(at);
        boolean swapped = left.length() > 1 && right.length() > 1 && left.charAt(0) == right.charAt(1)
                && left.charAt(1) == right.charAt(0) && left.substring(2).equals(right.substring(2));
        return swapped || left.equals(behind(right)) || behind(left).equals(right)
                || behind(left).equals(behind(right));
    }

    private static int commonBeginning(String word, String other) {
        int at = Arrays.mismatch(word.toCharArray(), other.toCharArray());
        return at < 0 ? word.length() : at;
    }

    private static String behind(String text) {
        return text.isEmpty() ? text : text.substring(1);
    }
}
