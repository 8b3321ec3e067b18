package petstore.http;

import java.util.concurrent.CompletableFuture;

import petstore.Catalogue;
import petstore.CatalogueVersion;
import petstore.Page;
import petstore.PetQuery;
import petstore.http.message.ConditionalResponse;
import petstore.http.message.Header;
import petstore.http.message.QueryParameters;
import petstore.http.message.Request;
import petstore.http.message.Response;
import petstore.json.PetJson;

/// listPets: one page by ascending id, with a `Link` to the next one if there is one (RFC 8288).
final class ListPets {

    private final Catalogue catalogue;
    private final String base;
    private final PageCache cache;

    /// @param base where answers say the API is
    ListPets(Catalogue catalogue, String base, PageCache cache) {
        this.catalogue = catalogue;
        this.base = base;
        this.cache = cache;
    }

    /// Responds from memory if it has the page: at once if there is a next page, else if nothing was added since.
    CompletableFuture<Response> answer(Request request) {
        PetQuery query = QueryParameters.petQuery(request.query());
        return find(query).thenApply(page -> page.respondTo(request));
    }

    private CompletableFuture<ConditionalResponse> find(PetQuery query) {
        if (!cache.keeps(query)) {
            return catalogue.list(query).thenApply(this::represent);
        }
        return cache.findFull(query, catalogue.epoch()).map(CompletableFuture::completedFuture)
                .orElseGet(() -> catalogue.version().thenCompose(version -> page(query, version)));
    }

    /// The version is from before the page is read: what is added in between makes the page newer, not older.
    private CompletableFuture<ConditionalResponse> page(PetQuery query, CatalogueVersion version) {
        return cache.find(query, version).map(CompletableFuture::completedFuture).orElseGet(
                () -> catalogue.list(query).thenApply(page -> {
                    ConditionalResponse representation = represent(page);
                    if (catalogue.epoch() == version.epoch()) {
                        cache.put(query, version, page, representation);
                    }
                    return representation;
                }));
    }

    private ConditionalResponse represent(Page page) {
        byte[] body = PetJson.write(page.pets());
        return new ConditionalResponse(page.next().isEmpty()
                ? Response.json(200, body)
                : Response.json(200, body, link(page.next().get())));
    }

    private Header link(PetQuery next) {
        return Header.of("Link", "<" + base + "/pets?limit=" + next.limit()
                + next.status().map(status -> "&status=" + status.text()).orElse("") + "&after=" + next.after()
                + ">; rel=\"next\"");
    }
}
