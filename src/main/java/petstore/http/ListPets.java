package petstore.http;

import java.util.concurrent.CompletableFuture;

import petstore.Catalogue;
import petstore.Page;
import petstore.PetQuery;
import petstore.Version;
import petstore.json.PetJson;

/// listPets: one page by ascending id, with a `Link` to the next one if there is one (RFC 8288).
final class ListPets implements Route.Operation {

    private final Catalogue catalogue;
    private final String base;
    private final PageCache cache;

    /// @param base where answers say the API is
    ListPets(Catalogue catalogue, String base, PageCache cache) {
        this.catalogue = catalogue;
        this.base = base;
        this.cache = cache;
    }

    /// A page that is in memory is answered at once, if the version is known.
    @Override
    public CompletableFuture<Answer> answer(Request request) {
        PetQuery query = QueryParameters.petQuery(request.query());
        return catalogue.version().thenCompose(version -> page(query, version)).thenApply(page -> page.answer(request));
    }

    /// The version is from before the page is read: what is added in between makes the page newer, not older.
    private CompletableFuture<Representation> page(PetQuery query, Version version) {
        return cache.find(query, version).map(CompletableFuture::completedFuture).orElseGet(
                () -> catalogue.list(query).thenApply(page -> represent(query, version, page)));
    }

    private Representation represent(PetQuery query, Version version, Page page) {
        byte[] body = PetJson.write(page.pets());
        Representation representation = new Representation(page.next().isEmpty()
                ? Answer.json(200, body)
                : Answer.json(200, body, link(page.next().get())));
        cache.put(query, version, page, representation);
        return representation;
    }

    private Header link(PetQuery next) {
        return Header.of("Link", "<" + base + "/pets?limit=" + next.limit()
                + next.status().map(status -> "&status=" + status.text()).orElse("") + "&after=" + next.after()
                + ">; rel=\"next\"");
    }
}
