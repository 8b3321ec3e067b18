import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import petstore.client.ApiClient;
import petstore.client.ApiException;
import petstore.client.ApiResponse;
import petstore.client.PetsApi;
import petstore.client.model.Error;
import petstore.client.model.NewPet;
import petstore.client.model.Pet;
import petstore.client.model.PetStatus;

/// Tries the generated client against the service at PETSTORE_URL with the API key PETSTORE_KEY. Exits with 1 at the first
/// difference.
final class Check {

    private static final String URL = System.getenv("PETSTORE_URL");

    public static void main(String[] args) throws Exception {
        PetsApi pets = api(System.getenv("PETSTORE_KEY"));
        Pet odd = addsOnce(pets, 9_007_199_254_740_993L);
        Pet greatest = addsOnce(pets, Long.MAX_VALUE);

        List<Pet> all = all(pets);
        expect("three pages or more", true, all.size() > 40);
        expect("ids ascend", true, all.stream().map(Pet::getId).sorted().distinct().toList()
                .equals(all.stream().map(Pet::getId).toList()));
        expect("the last animals of all pages", List.of(odd, greatest), all.subList(all.size() - 2, all.size()));

        isNotModified(pets);
        NewPet blank = new NewPet().name(" ").categoryId(1L);
        fails("a blank name", 400, "invalid_request", "name must", () -> pets.createPet(blank, null));
        fails("a wrong key", 401, "unauthorized", "API key", () -> api("wrong").listPets(null, null, null, null, null));
        System.out.println("java: " + all.size()
                + " animals on all pages, one per Idempotency-Key, ETag, errors and int64 as expected");
    }

    private static PetsApi api(String key) {
        ApiClient client = new ApiClient();
        client.updateBaseUri(URL);
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
        return new PetsApi(client);
    }

    /// Adds an animal twice with the same Idempotency-Key, as a retry does.
    private static Pet addsOnce(PetsApi pets, long category) throws ApiException {
        String key = UUID.randomUUID().toString();
        NewPet animal = new NewPet().name("Señor Llama").categoryId(category).status(PetStatus.AVAILABLE);
        ApiResponse<Pet> first = pets.createPetWithHttpInfo(animal, key);
        ApiResponse<Pet> retry = pets.createPetWithHttpInfo(animal, key);
        expect("status", 201, first.getStatusCode());
        expect("name", "Señor Llama", first.getData().getName());
        expect("categoryId", category, first.getData().getCategoryId());
        expect("Idempotent-Replayed of the first response", null, header(first, "idempotent-replayed"));
        expect("Idempotent-Replayed of the retry", "true", header(retry, "idempotent-replayed"));
        expect("the animal of the retry", first.getData(), retry.getData());
        return first.getData();
    }

    /// Returns the animals of all pages: as long as there is a link to the next page, `after` is taken from it.
    private static List<Pet> all(PetsApi pets) throws ApiException {
        List<Pet> all = new ArrayList<>();
        Long after = null;
        do {
            ApiResponse<List<Pet>> page = pets.listPetsWithHttpInfo(20, null, after, null, null);
            all.addAll(page.getData());
            after = next(header(page, "link"));
        } while (after != null);
        return all;
    }

    private static Long next(String link) {
        if (link == null || !link.endsWith("; rel=\"next\"")) {
            return null;
        }
        String query = URI.create(link.substring(1, link.indexOf('>'))).getQuery();
        return Long.valueOf(query.replaceAll("(?:.*&)?after=(\\d+).*", "$1"));
    }

    private static void isNotModified(PetsApi pets) throws ApiException {
        String etag = header(pets.listPetsWithHttpInfo(1, null, null, null, null), "etag");
        try {
            pets.listPets(1, null, null, null, etag);
            expect("status with If-None-Match", 304, 200);
        } catch (ApiException e) {
            expect("status with If-None-Match", 304, e.getCode());
        }
    }

    @FunctionalInterface
    private interface Call {
        void run() throws ApiException;
    }

    private static void fails(String name, int status, String code, String words, Call call) throws Exception {
        try {
            call.run();
            expect("status of " + name, status, 200);
        } catch (ApiException e) {
            expect("status of " + name, status, e.getCode());
            Error error = ApiClient.createDefaultObjectMapper().readValue(e.getResponseBody(), Error.class);
            expect("code of " + name, code, error.getCode());
            expect("status in the body of " + name, status, error.getStatus());
            expect("'" + words + "' in: " + error.getMessage(), true, error.getMessage().contains(words));
        }
    }

    private static String header(ApiResponse<?> response, String name) {
        Map<String, List<String>> headers = response.getHeaders();
        return headers.containsKey(name) ? headers.get(name).get(0) : null;
    }

    private static void expect(String name, Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            System.err.println("java: " + name + ": expected " + expected + ", was " + actual);
            System.exit(1);
        }
    }
}
