package petstore.http.message;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The forms of a request target. Source: RFC 9112 section 3.2.
public final class RequestTarget {

    private static final Pattern URL = Pattern.compile("(?i)https?://([^:/?][^/?]*+)(.*)");

    private RequestTarget() {
    }

    /// Returns the path and query of a path or an http URL, or the `*` of OPTIONS; absent for other text.
    ///
    /// Clients send URLs to proxies, and an origin server must accept them.
    public static Optional<String> find(String method, String target) {
        if (isPath(method, target)) {
            return Optional.of(target);
        }
        Matcher url = URL.matcher(target);
        return isVisible(target) && url.matches() && UriHost.isHostAndPort(url.group(1))
                ? Optional.of(path(method, url.group(2)))
                : Optional.empty();
    }

    /// Returns true if a target is a path in visible ASCII characters, or `*` of OPTIONS.
    public static boolean isPath(String method, String target) {
        return (target.startsWith("/") && isVisible(target)) || (target.equals("*") && method.equals("OPTIONS"));
    }

    /// @param rest of the URL, behind its host
    private static String path(String method, String rest) {
        if (rest.startsWith("/")) {
            return rest;
        }
        return rest.isEmpty() && method.equals("OPTIONS") ? "*" : "/" + rest;
    }

    private static boolean isVisible(String target) {
        for (int i = 0; i < target.length(); i++) {
            if (target.charAt(i) <= ' ' || target.charAt(i) > '~') {
                return false;
            }
        }
        return true;
    }
}
