package petstore;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// An animal that has no id yet. Source: SPEC `NewPet`.
///
/// @param name 1 to [#MAX_NAME_LENGTH] code points, not blank, without U+0000 and unpaired surrogates; kept exactly as
///        given, e.g. `Whiskers`
/// @param categoryId the category the animal belongs to, any int64
/// @param status absent when its seller gave none
public record NewPet(String name, long categoryId, Optional<PetStatus> status) {

    /// The longest name, in code points.
    public static final int MAX_NAME_LENGTH = 255;

    /// What is wrong with a category that is none.
    public static final String CATEGORY_VIOLATION = "categoryId must be an integer between " + Long.MIN_VALUE + " and "
            + Long.MAX_VALUE;

    /// This animal under the id that the store gave it.
    public Pet withId(long id) {
        return new Pet(id, name, categoryId, status);
    }

    /// All that is wrong with a name, for a message (`name must not be blank`); empty when nothing is.
    public static List<String> nameViolations(String name) {
        List<String> violations = new ArrayList<>();
        if (name.isEmpty() || name.codePointCount(0, name.length()) > MAX_NAME_LENGTH) {
            violations.add("name must be 1 to " + MAX_NAME_LENGTH + " characters long");
        }
        boolean blank = true;
        boolean unpaired = false;
        int codePoint;
        for (int i = 0; i < name.length(); i += Character.charCount(codePoint)) {
            codePoint = name.codePointAt(i);
            blank &= isBlank(codePoint);
            unpaired |= isSurrogate(codePoint);
        }
        if (blank && !name.isEmpty()) {
            violations.add("name must not be blank");
        }
        if (name.indexOf('\0') >= 0) {
            violations.add("name must not contain U+0000");
        }
        if (unpaired) {
            violations.add("name must not contain an unpaired surrogate");
        }
        return violations;
    }

    /// White space as `\s` in a JSON Schema pattern means it (ECMA-262), so that the contract can say the same.
    private static boolean isBlank(int codePoint) {
        return Character.isSpaceChar(codePoint) || (codePoint >= '\t' && codePoint <= '\r') || codePoint == 0xFEFF;
    }

    private static boolean isSurrogate(int codePoint) {
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }
}
