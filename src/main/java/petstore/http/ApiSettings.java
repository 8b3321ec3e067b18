package petstore.http;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import petstore.RateLimit;

/// Settings of the API.
///
/// @param baseUrl where clients find `/v1`; absent if responses refer to it relatively
/// @param stagingBaseUrl the same for the staging environment; only shown in the OpenAPI document
/// @param idempotencyRetention how long the result of a request with an Idempotency-Key is kept
/// @param rateLimit the limit of each API key that has none of its own; absent for none
/// @param corsOrigins the origins whose pages may use the API from a browser, e.g. `https://shop.example`
public record ApiSettings(Optional<BaseUrl> baseUrl, Optional<BaseUrl> stagingBaseUrl, Duration idempotencyRetention,
        Optional<RateLimit> rateLimit, List<String> corsOrigins) {

    /// Returns the base of links to the API: the base URL, or `/v1`.
    String base() {
        return baseUrl.map(BaseUrl::toString).orElse("/v1");
    }

    /// Returns the address of the reference page, beside the API.
    String docs() {
        return base().substring(0, base().lastIndexOf('/')) + "/docs";
    }
}
