package petstore.cli.options;

import java.util.Collection;

/// Suggestions for mistyped commands, options and variables.
final class NearestWord {

    private NearestWord() {
    }

    /// Returns the end of a message that suggests the first known word with one letter wrong, missing or too many, or with two
    /// neighbours swapped; empty if no word is near.
    static String suggestion(String word, Collection<String> known) {
        return known.stream().filter(other -> isNear(word, other)).findFirst()
                .map(meant -> "; did you mean " + meant + "?").orElse("");
    }

    private static boolean isNear(String word, String other) {
        int at = 0;
        while (at < Math.min(word.length(), other.length()) && word.charAt(at) == other.charAt(at)) {
            at++;
        }
        String left = word.substring(at);
        String right = other.substring(at);
        boolean swapped = left.length() > 1 && right.length() > 1 && left.charAt(0) == right.charAt(1)
                && left.charAt(1) == right.charAt(0) && left.substring(2).equals(right.substring(2));
        return swapped || left.equals(behind(right)) || behind(left).equals(right)
                || behind(left).equals(behind(right));
    }

    private static String behind(String text) {
        return text.isEmpty() ? text : text.substring(1);
    }
}
