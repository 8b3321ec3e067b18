package petstore.http.message;

import java.util.Optional;

/// The forms of a request target. Source: RFC 9112 section 3.2.
public final class RequestTarget {

    private RequestTarget() {
    }

    /// Returns the path and query of a path or an http URL, or the `*` of OPTIONS; absent for other text.
    ///
    /// Clients send URLs to proxies, and an origin server must accept them.
    public static Optional<String> find(String method, String target) {
        if (isPath(method, target)) {
            return Optional.of(target);
        }
        int host = Math.max(prefix("http://", target), prefix("https://", target));
        int end = host;
        while (end < target.length() && target.charAt(end) != '/' && target.charAt(end) != '?') {
            end++;
        }
        boolean isUrl = host > 0 && isVisible(target) && !target.startsWith(":", host) && host < end
                && UriHost.isHostAndPort(target.substring(host, end));
        return isUrl ? Optional.of(path(method, target.substring(end))) : Optional.empty();
    }

    /// Returns true if a target is a path in visible ASCII characters, or `*` of OPTIONS.
    public static boolean isPath(String method, String target) {
        return (target.startsWith("/") && isVisible(target)) || (target.equals("*") && method.equals("OPTIONS"));
    }

    /// Returns the length of a prefix in any case; 0 if the text does not begin with it.
    private static int prefix(String prefix, String text) {
        return text.regionMatches(true, 0, prefix, 0, prefix.length()) ? prefix.length() : 0;
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
