package petstore.testkit;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;

import com.fasterxml.jackson.databind.JsonNode;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetStatus;

import static org.assertj.core.api.Assertions.assertThat;

/// A record of the animals that clients sent and of the responses, to compare with the store. Thread-safe.
public final class Ledger {

    private static final List<Optional<PetStatus>> STATUSES = List.of(Optional.empty(),
            Optional.of(PetStatus.AVAILABLE), Optional.of(PetStatus.PENDING), Optional.of(PetStatus.SOLD));

    private final AtomicLong numbers = new AtomicLong();
    private final Map<String, NewPet> sent = new ConcurrentHashMap<>();
    private final ConcurrentSkipListMap<Long, Pet> acknowledged = new ConcurrentSkipListMap<>();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile long lastId;

    /// Returns the next animal to send. Its name is unique.
    public NewPet next() {
        long number = numbers.incrementAndGet();
        NewPet pet = new NewPet("Kätzchen 🐈 " + number, Long.MIN_VALUE + number,
                STATUSES.get((int) (number % STATUSES.size())));
        sent.put(pet.name(), pet);
        return pet;
    }

    public static String json(NewPet pet) {
        return "{\"name\":\"" + pet.name() + "\",\"categoryId\":" + pet.categoryId()
                + pet.status().map(status -> ",\"status\":\"" + status.text() + "\"").orElse("") + "}";
    }

    /// Records the response to an animal. Fails unless it is 201 or 503 and valid.
    public void recordResponse(NewPet pet, HttpResponse<String> response) {
        if (response.statusCode() == 503) {
            assertThat(response.headers().firstValue("Retry-After")).isPresent();
            assertThat(ServedContract.json(response.body()).path("code").asText()).isEqualTo("unavailable");
            refused.incrementAndGet();
            return;
        }
        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
        Pet returned = pet(ServedContract.json(response.body()));
        assertThat(returned).isEqualTo(pet.withId(returned.id()));
        assertThat(returned.id()).as("an id above those of the last verification").isGreaterThan(lastId);
        assertThat(acknowledged.put(returned.id(), returned)).as("earlier animal with the same id").isNull();
    }

    public static Pet pet(JsonNode json) {
        return new Pet(json.path("id").asLong(), json.path("name").asText(), json.path("categoryId").asLong(),
                Optional.ofNullable(json.get("status")).map(text -> PetStatus.find(text.asText()).orElseThrow()));
    }

    /// Returns all animals after an id, page by page.
    public static List<Pet> listAfter(ApiClient client, long id) {
        List<Pet> listed = new ArrayList<>();
        List<Pet> page;
        do {
            long after = listed.isEmpty() ? id : listed.getLast().id();
            page = ServedContract.json(client.get("/v1/pets?limit=100&after=" + after).body()).valueStream()
                    .map((JsonNode json) -> pet(json)).toList();
            listed.addAll(page);
        } while (!page.isEmpty());
        return listed;
    }

    /// Returns the number of animals acknowledged with 201.
    public int acknowledged() {
        return acknowledged.size();
    }

    /// Returns the number of animals refused with 503.
    public int refused() {
        return refused.get();
    }

    /// Fails unless `stored` has every acknowledged animal unchanged, no animal twice, and no animal that was never sent. The ids
    /// of later responses must be greater than all of these.
    public void verify(List<Pet> stored) {
        Map<Long, Pet> byId = stored.stream().collect(Collectors.toMap(Pet::id, Function.identity()));
        for (Pet pet : acknowledged.values()) {
            assertThat(byId.get(pet.id())).as("acknowledged animal").isEqualTo(pet);
        }
        for (Pet pet : stored) {
            assertThat(pet).as("sent animal")
                    .isEqualTo(Optional.ofNullable(sent.get(pet.name())).map(p -> p.withId(pet.id()))
                            .orElse(null));
        }
        assertThat(stored.stream().map(Pet::name)).doesNotHaveDuplicates();
        lastId = Math.max(byId.keySet().stream().mapToLong(Long::longValue).max().orElse(0),
                acknowledged.isEmpty() ? 0 : acknowledged.lastKey());
    }
}
