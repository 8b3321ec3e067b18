package petstore.http;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

import petstore.Catalogue;
import petstore.Failure;
import petstore.Failure.Kind;
import petstore.NewPet;
import petstore.Page;
import petstore.Pet;
import petstore.PetQuery;
import petstore.json.NewPetParser;
import petstore.json.PetJson;

/// The three operations of the contract, by their operationIds.
final class PetOperations {

    private static final Instant GET_PET_ENDS = Instant.parse("2030-12-06T00:00:00Z");

    private final Catalogue catalogue;
    private final Clock clock;
    private final String base;

    /// @param base where answers say the API is, e.g. `/v1`
    PetOperations(Catalogue catalogue, Clock clock, String base) {
        this.catalogue = catalogue;
        this.clock = clock;
        this.base = base;
    }

    /// One page by ascending id, with a `Link` to the next one if there is one (RFC 8288).
    Answer listPets(Request request) {
        Page page = catalogue.list(QueryParameters.petQuery(request.query()));
        List<Header> next = page.next().map(query -> Header.of("Link", link(query))).stream().toList();
        return Conditional.revalidated(request, Answer.json(200, PetJson.write(page.pets())).with(next));
    }

    /// 201 once the animal is durable.
    Answer createPet(Request request) {
        NewPet newPet = NewPetParser.parse(request.body().getBytes());
        Pet pet = catalogue.add(newPet);
        return Answer.json(201, PetJson.write(pet), Header.of("Location", base + "/pets/" + pet.id()),
                Answer.NO_STORE);
    }

    /// One animal, until the operation's removal date.
    Answer getPet(Request request) {
        if (!clock.instant().isBefore(GET_PET_ENDS)) {
            throw new Failure(Kind.GONE, "getPet was removed on 5 December 2030; use GET /pets with the status filter");
        }
        OptionalLong id = QueryParameters.int64(request.parameter());
        Pet pet = id.stream().boxed().findFirst().flatMap(catalogue::find)
                .orElseThrow(() -> new Failure(Kind.NOT_FOUND, "there is no animal with this id"));
        return Conditional.revalidated(request, Answer.json(200, PetJson.write(pet)));
    }

    /// What every answer of getPet says of its end (RFC 9745, RFC 8594).
    List<Header> deprecation() {
        String docs = base.substring(0, base.lastIndexOf('/')) + "/docs";
        return List.of(Header.constant("Deprecation", "@1795132800"),
                Header.constant("Sunset", "Thu, 05 Dec 2030 23:59:59 GMT"),
                Header.constant("Link", "<" + base + "/pets?status=available>; rel=\"successor-version\""),
                Header.constant("Link", "<" + docs + "#/pets/getPet>; rel=\"deprecation\"; type=\"text/html\""));
    }

    private String link(PetQuery query) {
        return "<" + base + "/pets?limit=" + query.limit()
                + query.status().map(status -> "&status=" + status.text()).orElse("") + "&after=" + query.after()
                + ">; rel=\"next\"";
    }
}
