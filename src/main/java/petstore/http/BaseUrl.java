package petstore.http;

import java.net.URI;

import petstore.Failure;
import petstore.http.message.UriHost;

/// The public URL of `/v1`, e.g. `https://shop.example/animals/v1`.
///
/// @param origin scheme, host and port, e.g. `https://shop.example`
/// @param path ends in `/v1`
public record BaseUrl(String origin, String path) {

    private static final String END = "/v1";

    /// Returns the URL, its path in ASCII, e.g. `%C3%B3` for `ó`.
    ///
    /// Errors: [Failure] of kind `INVALID_REQUEST`. The message does not show the text, which may contain a password.
    public static BaseUrl parse(String text) {
        require(text.matches("(?is)https?://.*"), "it must begin with https:// or http://");
        int host = text.indexOf("//") + 2;
        String authority = text.substring(host).split("[/?#]", 2)[0];
        String rest = text.substring(host + authority.length());
        require(authority.indexOf('@') < 0, "it must not have a user or a password");
        // The path may be the end of a password with a slash.
        require(rest.indexOf('@') < 0, "each @ of its path must be written as %40");
        require(rest.indexOf('#') < 0, "it must not have a fragment");
        require(rest.indexOf('?') < 0, "it must not have a query");
        int end = UriHost.end(authority);
        String name = authority.substring(0, end);
        require(UriHost.isHostName(name) || UriHost.isIpLiteral(name),
                "its host must be letters, digits, hyphens and dots, or an IP address");
        String port = authority.substring(end);
        require(port.isEmpty() || port.equals(":") || (port.startsWith(":") && UriHost.isPort(port.substring(1))),
                "its port must be a number from 1 to 65535");
        require(rest.endsWith(END), "it must end in " + END);
        return new BaseUrl(text.substring(0, host) + authority, encode(rest));
    }

    private static String encode(String path) {
        String origin = "http://localhost";
        try {
            return URI.create(origin + path).toASCIIString().substring(origin.length());
        } catch (IllegalArgumentException e) {
            throw new Failure(Failure.Kind.INVALID_REQUEST, "its path has characters that a URL cannot have", e);
        }
    }

    private static void require(boolean valid, String message) {
        if (!valid) {
            throw new Failure(Failure.Kind.INVALID_REQUEST, message);
        }
    }

    @Override
    public String toString() {
        return origin + path;
    }
}
