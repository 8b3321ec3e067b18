package petstore.http.message;

/// The field `Expect` of a request. Source: RFC 9110 section 10.1.1.
public enum Expectation {

    NONE,
    /// The client sends the body after a response 100.
    CONTINUE,
    /// At least one expectation is not `100-continue`.
    UNKNOWN;

    private static final String FIELD = "Expect";

    /// Returns the expectation of all fields together, which are one list. Empty elements do not count.
    public static Expectation of(HeaderFields headers) {
        Expectation found = NONE;
        if (headers.contains(FIELD)) {
            for (String element : String.join(",", headers.all(FIELD)).split(",", -1)) {
                String expectation = element.strip();
                if (expectation.equalsIgnoreCase("100-continue")) {
                    found = CONTINUE;
                } else if (!expectation.isEmpty()) {
                    return UNKNOWN;
                }
            }
        }
        return found;
    }
}
