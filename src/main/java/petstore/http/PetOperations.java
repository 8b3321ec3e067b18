package petstore.http;

import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import petstore.ApiKey;
import petstore.Catalogue;
import petstore.Catalogue.Added;
import petstore.CatalogueVersion;
import petstore.Failure;
import petstore.Failure.Kind;
import petstore.IdempotencyKey;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.Scope;
import petstore.Sha256;
import petstore.http.message.ConditionalResponse;
import petstore.http.message.Header;
import petstore.http.message.HeaderFields;
import petstore.http.message.IdempotencyHeader;
import petstore.http.message.KeyScanner;
import petstore.http.message.QueryParameters;
import petstore.http.message.Request;
import petstore.http.message.Response;
import petstore.json.NewPetParser;
import petstore.json.PetJson;

/// The three operations of the contract, by their operationIds.
///
/// @param base the base of links to the API
public record PetOperations(Catalogue catalogue, String base, Duration idempotencyRetention, PageCache cache,
        KeyScanner keys, Clock clock) {

    private static final List<Header> REPLAYED = List.of(Header.of("Idempotent-Replayed", "true"));
    private static final LocalDate LAST_DAY_OF_GET_PET = LocalDate.of(2030, 12, 5);
    private static final ZonedDateTime GET_PET_ENDS = LAST_DAY_OF_GET_PET.plusDays(1).atStartOfDay(ZoneOffset.UTC);

    /// Returns a page by ascending id, with a `Link` to the next page if there is one (RFC 8288).
    CompletableFuture<Response> listPets(Request request) {
        PetQuery query = QueryParameters.petQuery(request.head().query());
        return page(query).thenApply(page -> page.respondTo(request));
    }

    /// Returns a page. One with a next page needs no version: it is kept for its epoch.
    private CompletableFuture<ConditionalResponse> page(PetQuery query) {
        if (!cache.isWanted(query)) {
            return catalogue.list(query).thenApply(this::encode);
        }
        Optional<Long> epoch = catalogue.findEpoch();
        return epoch.flatMap(now -> cache.findFull(query, now)).map(CompletableFuture::completedFuture)
                .orElseGet(() -> epoch.isPresent() && !cache.contains(query)
                        ? read(query, CatalogueVersion.unknownIn(epoch.get()))
                        : catalogue.version().thenCompose(version -> cache.find(query, version)
                                .map(CompletableFuture::completedFuture).orElseGet(() -> read(query, version))));
    }

    /// Reads a page and keeps it.
    ///
    /// @param version the version before the page is read, so that the page is not older
    private CompletableFuture<ConditionalResponse> read(PetQuery query, CatalogueVersion version) {
        return catalogue.list(query).thenApply(page -> {
            ConditionalResponse response = encode(page);
            cache.keep(query, new PageCache.CachedPage(version, page.next().isPresent(), response));
            return response;
        });
    }

    private ConditionalResponse encode(Catalogue.Page page) {
        return new ConditionalResponse(page.next().isEmpty()
                ? Response.json(200, page.json())
                : Response.json(200, page.json(), link(page.next().get())));
    }

    private Header link(PetQuery next) {
        return Header.of("Link", "<" + base + "/pets?limit=" + next.limit()
                + next.status().map(status -> "&status=" + status.text()).orElse("") + "&after=" + next.after()
                + ">; rel=\"next\"");
    }

    /// Returns 201 once the animal is durable. Requests with the same `Idempotency-Key` add one animal. Later ones get the
    /// response of the first.
    ///
    /// Preconditions are evaluated before the animal is added: others may be added in between. If they fail, only an earlier success
    /// with the same key counts.
    CompletableFuture<Response> createPet(Request request) {
        Optional<String> header = idempotencyHeader(request);
        NewPet newPet = NewPetParser.parse(request.body());
        Optional<IdempotencyKey> key = header.map(text -> idempotencyKey(request, text, newPet));
        HeaderFields headers = request.head().headers();
        // Preconditions by date do not count.
        if (!headers.contains(ConditionalResponse.IF_MATCH) && !headers.contains(ConditionalResponse.IF_NONE_MATCH)) {
            return add(newPet, key);
        }
        return current(request).thenCompose(current -> ConditionalResponse.refusal(headers, current)
                .map(refusal -> refuse(refusal, key)).orElseGet(() -> add(newPet, key)));
    }

    private CompletableFuture<Response> add(NewPet newPet, Optional<IdempotencyKey> key) {
        return catalogue.add(newPet, key).thenApply(this::created);
    }

    /// Returns the refusal, unless an earlier request with the same key added an animal.
    private CompletableFuture<Response> refuse(Response refusal, Optional<IdempotencyKey> key) {
        return key.isEmpty()
                ? CompletableFuture.completedFuture(refusal)
                : catalogue.findAdded(key.get()).thenApply(added -> added.map(this::created).orElse(refusal));
    }

    /// Returns the page that GET of the same target returns; absent if the key may not read it or its query is invalid.
    private CompletableFuture<Optional<ConditionalResponse>> current(Request request) {
        if (!request.key().map(ApiKey::scopes).orElseThrow().contains(Scope.READ)) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        PetQuery query;
        try {
            query = QueryParameters.petQuery(request.head().query());
        } catch (Failure e) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return page(query).thenApply(Optional::of);
    }

    /// Returns the idempotency key of a request; absent if it has none. Errors: [Failure] that also names the violations of the body.
    private Optional<String> idempotencyHeader(Request request) {
        try {
            return IdempotencyHeader.find(request.head().headers(), keys);
        } catch (Failure badKey) {
            try {
                NewPetParser.parse(request.body());
            } catch (Failure badBody) {
                throw new Failure(Kind.INVALID_REQUEST, badKey.getMessage() + "; " + badBody.getMessage());
            }
            throw badKey;
        }
    }

    private Response created(Added added) {
        Response response = Response.json(201, PetJson.write(added.pet()),
                Header.of("Location", base + "/pets/" + added.pet().id()), Response.NO_STORE);
        return added.replayed() ? response.with(REPLAYED) : response;
    }

    /// Returns a key whose fingerprint covers the animal, not the spelling of the body.
    private IdempotencyKey idempotencyKey(Request request, String key, NewPet newPet) {
        String owner = request.key().map(ApiKey::name).orElseThrow();
        byte[] animal = PetJson.write(newPet.withId(0));
        String fingerprint = HexFormat.of().formatHex(Sha256.of(animal));
        return new IdempotencyKey(new IdempotencyKey.Name(owner, "createPet", key), fingerprint,
                idempotencyRetention);
    }

    /// Returns an animal. Errors: [Failure] of kind `NOT_FOUND`; `GONE` from the removal date on.
    CompletableFuture<Response> getPet(Request request) {
        if (!clock.instant().isBefore(GET_PET_ENDS.toInstant())) {
            throw new Failure(Kind.GONE, "getPet was removed on "
                    + DateTimeFormatter.ofPattern("d MMMM uuuu", Locale.ENGLISH).format(LAST_DAY_OF_GET_PET)
                    + "; use GET /pets with the status filter");
        }
        OptionalLong id = QueryParameters.int64(request.parameter());
        CompletableFuture<Optional<Pet>> found = id.isPresent()
                ? catalogue.find(id.getAsLong())
                : CompletableFuture.completedFuture(Optional.empty());
        return found.thenApply(pet -> new ConditionalResponse(Response.json(200,
                PetJson.write(pet.orElseThrow(() -> new Failure(Kind.NOT_FOUND, "there is no animal with this id")))))
                .respondTo(request));
    }

    /// Returns the headers of every response of getPet (RFC 9745, RFC 8594).
    ///
    /// @param docs the URL of the reference page
    List<Header> deprecation(String docs) {
        // In HTTP, the day has two digits.
        String sunset = DateTimeFormatter.RFC_1123_DATE_TIME.format(GET_PET_ENDS.minusSeconds(1))
                .replaceFirst(" (\\d) ", " 0$1 ");
        return List.of(Header.of("Deprecation", "@1795132800"),
                Header.of("Sunset", sunset),
                Header.of("Link", "<" + base + "/pets?status=available>; rel=\"successor-version\""),
                Header.of("Link", "<" + docs + "#/pets/getPet>; rel=\"deprecation\"; type=\"text/html\""));
    }
}
