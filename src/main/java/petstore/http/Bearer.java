package petstore.http;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import petstore.ApiKey;
import petstore.Failure;
import petstore.Failure.Kind;
import petstore.KeyRing;
import petstore.KeyToken;
import petstore.Scope;

/// Bearer authentication (RFC 6750) against the key ring, from memory.
///
/// [#refresh], called often, brings in what other processes changed: that is how fast a revoked key stops. A key whose id is
/// not in memory is looked up in the store, once: ids are random, so one that was asked for in vain is never made later. So is
/// one that comes with a secret that memory does not know, now and then: it may have been rotated this moment.
final class Bearer {

    private static final int MOST_UNKNOWN_IDS = 10_000;
    private static final Duration LOOK_UP_INTERVAL = Duration.ofMillis(100);
    private static final int LOOK_UPS_AT_ONCE = 2;
    private static final Duration LOOK_UP_PATIENCE = Duration.ofMillis(250);
    private static final Duration USE_RESOLUTION = Duration.ofMinutes(1);
    private static final String SCHEME = "Bearer ";
    private static final String REALM = "Bearer realm=\"petstore\"";

    /// What became of an `Authorization` field.
    sealed interface Verdict {
    }

    /// A verdict that is final.
    sealed interface Decided extends Verdict {
    }

    /// The request comes from the owner of this key.
    record Accepted(ApiKey key) implements Decided {
    }

    /// It does not; `answer` says so.
    record Refused(Answer answer) implements Decided {
    }

    /// Memory cannot tell; [Bearer#lookUp] can.
    record Undecided(KeyToken token) implements Verdict {
    }

    private static final Decided NO_KEY = new Refused(unauthorized(REALM));
    private static final Decided BAD_KEY = new Refused(unauthorized(REALM + ", error=\"invalid_token\""));

    private final KeyRing keys;
    private final Optional<ConfiguredKey> configured;
    private final Clock clock;
    private final Cache<String, Boolean> unknownIds = Caffeine.newBuilder().maximumSize(MOST_UNKNOWN_IDS).build();
    private final Counter lookUps;
    /// Whoever makes up keys must not take the store from those who have one.
    private final Semaphore lookingUp = new Semaphore(LOOK_UPS_AT_ONCE, true);
    private final Map<String, Instant> lookedUp = new ConcurrentHashMap<>();
    private final Map<String, Instant> uses = new ConcurrentHashMap<>();
    private final Map<String, Instant> unsavedUses = new ConcurrentHashMap<>();
    private volatile Map<String, ApiKey> known = Map.of();

    /// @param configured one more key that is accepted
    Bearer(KeyRing keys, Optional<ConfiguredKey> configured, MeterRegistry meters, Clock clock) {
        this.lookUps = Counter.builder("petstore.key.lookups")
                .description("Keys that memory did not know and the store was asked for.").register(meters);
        this.keys = keys;
        this.configured = configured;
        this.clock = clock;
        keys.onNewEpoch(this::startAnew);
        refresh();
    }

    /// Forgets every key and reads them all again. Blocks.
    private void startAnew() {
        unknownIds.invalidateAll();
        lookedUp.clear();
        refresh();
    }

    /// Brings the keys in memory up to date. Blocks.
    void refresh() {
        known = keys.list().stream()
                .collect(Collectors.toConcurrentMap(ApiKey::id, Function.identity(), (_, key) -> key,
                        ConcurrentHashMap::new));
    }

    /// Tells the store when keys were last used. Blocks, and may wait for others that write.
    void saveUses() {
        Map<String, Instant> saving = Map.copyOf(unsavedUses);
        if (!saving.isEmpty()) {
            keys.recordUses(saving);
            saving.forEach(unsavedUses::remove);
        }
    }

    /// Judges the `Authorization` fields of a request; does not block.
    Verdict judge(List<String> authorization) {
        if (authorization.size() != 1) {
            return NO_KEY;
        }
        String credentials = authorization.getFirst();
        if (!credentials.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return NO_KEY;
        }
        String text = credentials.substring(SCHEME.length()).strip();
        if (text.isEmpty()) {
            return NO_KEY;
        }
        if (configured.isPresent() && configured.get().matches(text)) {
            return new Accepted(configured.get().key);
        }
        Optional<KeyToken> token = KeyToken.parse(text);
        if (token.isEmpty()) {
            return BAD_KEY;
        }
        ApiKey key = known.get(token.get().id());
        if (key == null) {
            return unknownIds.getIfPresent(token.get().id()) == null ? new Undecided(token.get()) : BAD_KEY;
        }
        Instant now = clock.instant();
        boolean owned = key.isOwnedBy(token.get().secret(), now);
        return !owned && claimLookUp(key, now) ? new Undecided(token.get()) : judge(key, owned, now);
    }

    /// Whether the store was not asked for a key lately, and is asked now: guesses must not keep it busy.
    private boolean claimLookUp(ApiKey key, Instant now) {
        Instant before = lookedUp.getOrDefault(key.id(), Instant.MIN);
        if (now.isBefore(before.plus(LOOK_UP_INTERVAL))) {
            return false;
        }
        lookedUp.put(key.id(), now);
        return true;
    }

    /// Judges a key by the store. Blocks. Errors: [Failure] of kind `UNAVAILABLE` when too many want that, or the store cannot tell.
    Decided lookUp(KeyToken token) {
        try {
            if (!lookingUp.tryAcquire(LOOK_UP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw Failure.unavailable("too many keys are being looked up; try again later");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.unavailable("the service is stopping");
        }
        try {
            return lookUpNow(token);
        } finally {
            lookingUp.release();
        }
    }

    private Decided lookUpNow(KeyToken token) {
        lookUps.increment();
        Optional<ApiKey> key = keys.find(token.id());
        if (key.isEmpty()) {
            unknownIds.put(token.id(), true);
            return BAD_KEY;
        }
        known.put(token.id(), key.get());
        Instant now = clock.instant();
        return judge(key.get(), key.get().isOwnedBy(token.secret(), now), now);
    }

    private Decided judge(ApiKey key, boolean owned, Instant now) {
        if (!owned || !key.isGoodAt(now)) {
            return BAD_KEY;
        }
        recordUse(key, now);
        return new Accepted(key);
    }

    private void recordUse(ApiKey key, Instant now) {
        Instant recorded = uses.get(key.id());
        if (recorded == null || Duration.between(recorded, now).compareTo(USE_RESOLUTION) >= 0) {
            uses.put(key.id(), now);
            unsavedUses.put(key.id(), now);
        }
    }

    /// The same body whatever was wrong.
    private static Answer unauthorized(String challenge) {
        return Errors.answer(Kind.UNAUTHORIZED,
                "a valid API key is required, sent as: Authorization: Bearer <API key>", challenge(challenge));
    }

    /// What a good key is told that does not allow what it was used for.
    static Answer forbidden(Scope scope) {
        return Errors.answer(Kind.FORBIDDEN, "this API key does not have the scope " + scope.text(),
                challenge(REALM + ", error=\"insufficient_scope\", scope=\"" + scope.text() + "\""));
    }

    private static Header challenge(String value) {
        return Header.of("WWW-Authenticate", value);
    }
}
