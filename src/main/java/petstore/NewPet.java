package petstore;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// An animal that has no id yet. Source: SPEC `NewPet`.
///
/// @param name 1 to [#MAX_NAME_LENGTH] code points, not blank, without U+0000 and unpaired surrogates; never normalised
public record NewPet(String name, long categoryId, Optional<PetStatus> status) {

    /// Maximum length of a name in code points.
    public static final int MAX_NAME_LENGTH = 255;

    public static final String CATEGORY_VIOLATION = "categoryId must be an integer between " + Long.MIN_VALUE + " and "
            + Long.MAX_VALUE;

    /// Throws a [Failure] of kind `INVALID_REQUEST` that names every violation of the name.
    public NewPet {
        List<String> violations = nameViolations(name);
        if (!violations.isEmpty()) {
            throw new Failure(Failure.Kind.INVALID_REQUEST, String.join("; ", violations));
        }
    }

    public Pet withId(long id) {
        return new Pet(id, name, categoryId, status);
    }

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
            unpaired |= Character.getType(codePoint) == Character.SURROGATE;
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

    /// Returns true for white space as in `\s` of a JSON Schema pattern (ECMA-262), which the contract uses.
    private static boolean isBlank(int codePoint) {
        return Character.isSpaceChar(codePoint) || (codePoint >= '\t' && codePoint <= '\r') || codePoint == 0xFEFF;
    }
}
