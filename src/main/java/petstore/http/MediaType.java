package petstore.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import petstore.Failure;
import petstore.http.message.HeaderFields;

/// The media type of request bodies: JSON in UTF-8, not compressed (RFC 8259 section 8.1).
final class MediaType {

    private MediaType() {
    }

    /// Returns a failure of kind `UNSUPPORTED_MEDIA_TYPE` that names every violation; absent if the type is supported.
    static Optional<Failure> refusal(HeaderFields headers) {
        List<String> violations = new ArrayList<>(0);
        violation(headers.all("Content-Type")).ifPresent(violations::add);
        if (headers.contains("Content-Encoding")) {
            violations.add("the body must not be compressed: Content-Encoding is not supported");
        }
        return violations.isEmpty()
                ? Optional.empty()
                : Optional.of(new Failure(Failure.Kind.UNSUPPORTED_MEDIA_TYPE, String.join("; ", violations)));
    }

    private static Optional<String> violation(List<String> contentTypes) {
        if (contentTypes.isEmpty()) {
            return Optional.of("Content-Type is missing: it must be application/json");
        }
        if (contentTypes.size() > 1) {
            return Optional.of("Content-Type must not be repeated");
        }
        String[] parts = contentTypes.getFirst().toLowerCase(Locale.ROOT).split(";", -1);
        if (!parts[0].strip().equals("application/json")) {
            return Optional.of("Content-Type must be application/json");
        }
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].strip().replace("\"", "");
            if (parameter.startsWith("charset") && !parameter.equals("charset=utf-8")) {
                return Optional.of("the charset of Content-Type must be utf-8");
            }
        }
        return Optional.empty();
    }
}
