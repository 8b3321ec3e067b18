package petstore.http;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import petstore.RateLimit;

/// Settings of the API, as docs/settings.md explains them.
///
/// @param tls true if clients reach the API by TLS
public record ApiSettings(Optional<BaseUrl> baseUrl, Optional<BaseUrl> stagingBaseUrl, Duration idempotencyRetention,
        Optional<RateLimit> rateLimit, boolean page, boolean tls, List<String> corsOrigins) {

    /// Returns the base of links to the API: the base URL, or `/v1`.
    public String base() {
        return baseUrl.map(BaseUrl::toString).orElse("/v1");
    }

    /// Returns the URL of the reference page.
    String docs() {
        return root() + "docs";
    }

    /// Returns the URL of the page for people: the base URL without `v1`, or `/`.
    public String root() {
        return base().substring(0, base().lastIndexOf('/') + 1);
    }
}
