package petstore.http.message;

import java.util.List;

/// The field `Expect` of a request. Source: RFC 9110 section 10.1.1.
public enum Expectation {

    NONE,
    /// The client sends the body after a response 100.
    CONTINUE,
    /// At least one expectation is not `100-continue`.
    UNKNOWN;

    public static Expectation of(HeaderFields headers) {
        List<String> expectations = headers.elements("Expect");
        if (expectations.isEmpty()) {
            return NONE;
        }
        return expectations.stream().allMatch("100-continue"::equalsIgnoreCase) ? CONTINUE : UNKNOWN;
    }
}
