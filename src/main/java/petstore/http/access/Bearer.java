package petstore.http.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import petstore.ApiKey;
import petstore.Failure;
import petstore.Failure.Kind;
import petstore.KeyRing;
import petstore.KeyToken;
import petstore.Scope;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.HeaderFields;
import petstore.http.message.Response;

/// Bearer authentication (RFC 6750) by the keys in memory, and by the clock of their database.
///
/// [#refresh] is called every half second. A request with an unknown secret waits for another refresh, because its key may have been
/// created or rotated a moment ago. So does a request if the keys were read too long ago, because its key may have been revoked. All
/// requests that wait share a refresh.
public final class Bearer {

    /// Half a second remains for the response, within the two seconds in which a revoked key is refused.
    private static final Duration KNOWN_FOR = Duration.ofMillis(1_500);
    private static final Duration USE_RESOLUTION = Duration.ofMinutes(1);
    private static final String SCHEME = "Bearer ";

    public sealed interface Authentication {
    }

    public record Accepted(ApiKey key) implements Authentication {
    }

    public record Refused(Response response) implements Authentication {
    }

    /// The key is not in memory, or was read too long ago. The result is known after a refresh.
    ///
    /// Errors: the future fails with a [Failure] of kind `UNAVAILABLE` if the store cannot be read now.
    public record Pending(CompletableFuture<Authentication> result) implements Authentication {
    }

    private static final Response NO_KEY = unauthorized("");
    private static final Response BAD_KEY = unauthorized(", error=\"invalid_token\"");
    private static final Authentication NO_FIELD = new Refused(NO_KEY.because("there is no Authorization field"));
    private static final Authentication NO_BEARER = new Refused(
            NO_KEY.because("Authorization is not one field of the form: Bearer <API key>"));
    private static final Authentication MALFORMED = new Refused(BAD_KEY.because("the API key is malformed"));
    private static final Authentication UNKNOWN = new Refused(
            BAD_KEY.because("the API key is unknown, or its secret was replaced"));

    private final KeyRing keys;
    private final Optional<ApiKey> configured;
    private final byte[] configuredText;
    private final Counter lookUps;
    private final Map<String, Instant> uses = new ConcurrentHashMap<>();
    private final Map<String, Instant> unsavedUses = new ConcurrentHashMap<>();

    /// @param configuredKey a key of any text, with every scope, that is accepted besides those of the store
    public Bearer(KeyRing keys, Optional<String> configuredKey, MeterRegistry meters) {
        this.lookUps = Counter.builder("petstore.key.lookups")
                .description("Requests with a key that was not in memory, or was read too long ago.").register(meters);
        this.keys = keys;
        keys.load();
        this.configured = configuredKey.map(text -> ApiKey.issued(new KeyToken("configured", text),
                ApiKey.CONFIGURED_NAME,
                EnumSet.allOf(Scope.class), keys.known().now(), Optional.empty(), Optional.empty()));
        this.configuredText = configuredKey.orElse("").getBytes(StandardCharsets.UTF_8);
    }

    /// Reads the keys into memory. Blocks. Errors: [Failure].
    public void refresh() {
        try {
            keys.refresh().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof Failure failure ? failure : e;
        }
    }

    /// Stores the times of the last uses of keys. Blocks.
    public void saveUses() {
        Map<String, Instant> saving = Map.copyOf(unsavedUses);
        if (!saving.isEmpty()) {
            keys.recordUses(saving);
            saving.forEach(unsavedUses::remove);
        }
    }

    /// Checks the `Authorization` fields of a request. Does not block.
    public Authentication authenticate(HeaderFields headers) {
        List<String> authorization = headers.all("Authorization");
        String credentials = authorization.size() == 1 ? authorization.getFirst() : "";
        String text = credentials.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                ? credentials.substring(SCHEME.length()).strip()
                : "";
        if (text.isEmpty()) {
            return authorization.isEmpty() ? NO_FIELD : NO_BEARER;
        }
        // In constant time for its length. Not hashed, because the process knows the secret.
        if (configured.isPresent()
                && MessageDigest.isEqual(text.getBytes(StandardCharsets.UTF_8), configuredText)) {
            return new Accepted(configured.get());
        }
        Optional<KeyToken> token = KeyToken.parse(text);
        if (token.isEmpty()) {
            return MALFORMED;
        }
        KeyRing.Known known = keys.known();
        Optional<Authentication> checked = known.age().compareTo(KNOWN_FOR) < 0
                ? check(token.get(), known)
                : Optional.empty();
        if (checked.isPresent()) {
            return checked.get();
        }
        lookUps.increment();
        // By the latest keys in memory, so that no secret is accepted after another request was refused for it.
        return new Pending(keys.refresh().thenApply(_ -> check(token.get(), keys.known()).orElse(UNKNOWN)));
    }

    /// Checks the key that has the id and the secret of a token; absent if no known one has both.
    private Optional<Authentication> check(KeyToken token, KeyRing.Known known) {
        Instant now = known.now();
        ApiKey key = known.keys().get(token.id());
        if (key == null || !key.hasSecret(token.secret(), now)) {
            return Optional.empty();
        }
        if (!key.isValidAt(now)) {
            return Optional.of(new Refused(BAD_KEY.because(
                    "the API key " + key.id() + (key.revoked().isPresent() ? " is revoked" : " has expired"))));
        }
        Instant recorded = uses.get(key.id());
        if (recorded == null || Duration.between(recorded, now).compareTo(USE_RESOLUTION) >= 0) {
            uses.put(key.id(), now);
            unsavedUses.put(key.id(), now);
        }
        return Optional.of(new Accepted(key));
    }

    /// Returns a 401. Its body is the same for every fault.
    private static Response unauthorized(String parameters) {
        return Errors.response(Kind.UNAUTHORIZED,
                "a valid API key is required, sent as: Authorization: Bearer <API key>", challenge(parameters));
    }

    /// Returns the response for a valid key without the scope of the operation.
    public static Response forbidden(Scope scope) {
        return Errors.response(Kind.FORBIDDEN, "this API key does not have the scope " + scope.text(),
                challenge(", error=\"insufficient_scope\", scope=\"" + scope.text() + "\""));
    }

    private static Header challenge(String parameters) {
        return Header.of("WWW-Authenticate", "Bearer realm=\"petstore\"" + parameters);
    }
}
