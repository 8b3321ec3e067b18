package petstore;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// A permission of an API key.
public enum Scope {
    /// List and fetch animals.
    READ,
    /// Add animals.
    WRITE;

    private final String text = "pets:" + name().toLowerCase(Locale.ROOT);

    /// Returns the scope as text, e.g. `pets:read`.
    public String text() {
        return text;
    }

    public static Optional<Scope> find(String text) {
        return Arrays.stream(values()).filter(scope -> scope.text.equals(text)).findFirst();
    }

    /// Returns scopes in a fixed order, e.g. `pets:read pets:write`.
    public static String text(Set<Scope> scopes) {
        return scopes.stream().sorted().map(Scope::text).collect(Collectors.joining(" "));
    }
}
