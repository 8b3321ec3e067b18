package petstore.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import petstore.Failure.Kind;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.HeaderFields;
import petstore.http.message.Response;

/// The media type of request bodies: JSON in UTF-8, not compressed (RFC 8259 section 8.1).
final class MediaType {

    private static final String CHARSET = "charset";
    /// Many clients write the second form.
    private static final Set<String> UTF_8 = Set.of("utf-8", "utf8");
    /// The name and the value of a parameter. A quoted value may contain a semicolon (RFC 9110 section 5.6.6).
    private static final Pattern PARAMETER = Pattern
            .compile(";([^;=]*)=?((?:\"(?:[^\"\\\\]|\\\\.?)*+\"?|[^;\"]++)*+)");
    /// Quotes, and the backslash of a quoted pair before its character.
    private static final Pattern QUOTES = Pattern.compile("\"|\\\\(.)");
    /// The codings that a body may have (RFC 9110 section 12.5.3).
    private static final List<Header> UNCODED = List.of(Header.of("Accept-Encoding", "identity"));

    private MediaType() {
    }

    /// Returns a 415 that names every violation; absent if the type is supported.
    static Optional<Response> refusal(HeaderFields headers) {
        List<String> violations = new ArrayList<>(0);
        violation(headers.all("Content-Type")).ifPresent(violations::add);
        // The coding identity does not change a body (RFC 9110 section 8.4).
        boolean coded = !headers.elements("Content-Encoding").stream().allMatch("identity"::equalsIgnoreCase);
        if (coded) {
            violations.add("the body must not be compressed: Content-Encoding is not supported");
        }
        if (violations.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Errors.response(Kind.UNSUPPORTED_MEDIA_TYPE, violations)
                .with(coded ? UNCODED : List.of()));
    }

    private static Optional<String> violation(List<String> contentTypes) {
        if (contentTypes.isEmpty()) {
            return Optional.of("Content-Type is missing: it must be application/json");
        }
        if (contentTypes.size() > 1) {
            return Optional.of("Content-Type must not be repeated");
        }
        String type = contentTypes.getFirst();
        int parameters = type.indexOf(';');
        if (!(parameters < 0 ? type : type.substring(0, parameters)).strip().equalsIgnoreCase("application/json")) {
            return Optional.of("Content-Type must be application/json");
        }
        Matcher parameter = PARAMETER.matcher(type);
        while (parameter.find()) {
            if (isOtherCharset(parameter)) {
                return Optional.of("the charset of Content-Type must be utf-8");
            }
        }
        return Optional.empty();
    }

    private static boolean isOtherCharset(MatchResult parameter) {
        String name = parameter.group(1).stripLeading();
        if (!name.stripTrailing().equalsIgnoreCase(CHARSET)) {
            return false;
        }
        String value = parameter.group(2).stripTrailing();
        String unquoted = value.startsWith("\"") ? QUOTES.matcher(value).replaceAll("$1") : value;
        return !name.equalsIgnoreCase(CHARSET) || !UTF_8.contains(unquoted.toLowerCase(Locale.ROOT));
    }
}
