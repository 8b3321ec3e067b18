package petstore.testkit;

import java.net.http.HttpResponse;
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

/// The animals that clients sent, and their responses, to compare with the store. For any number of threads.
public final class Ledger {

    private static final List<Optional<PetStatus>> STATUSES = List.of(Optional.empty(),
            Optional.of(PetStatus.AVAILABLE), Optional.of(PetStatus.PENDING), Optional.of(PetStatus.SOLD));

    private final AtomicLong numbers = new AtomicLong();
    private final Map<String, NewPet> sent = new ConcurrentHashMap<>();
    private final ConcurrentSkipListMap<Long, Pet> acknowledged = new ConcurrentSkipListMap<>();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile long lastId;

    /// The next animal to send; no two have the same name.
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

    /// Records the response to an animal: 201 or 503.
    public void answered(NewPet pet, HttpResponse<String> response) {
        if (response.statusCode() == 503) {
            assertThat(response.headers().firstValue("Retry-After")).isPresent();
            assertThat(ServedContract.json(response.body()).path("code").asText()).isEqualTo("unavailable");
            refused.incrementAndGet();
            return;
        }
        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
        Pet told = pet(ServedContract.json(response.body()));
        assertThat(told).isEqualTo(pet.withId(told.id()));
        assertThat(told.id()).as("an id that was never used before").isGreaterThan(lastId);
        assertThat(acknowledged.put(told.id(), told)).as("given the same id").isNull();
    }

    public static Pet pet(JsonNode json) {
        return new Pet(json.path("id").asLong(), json.path("name").asText(), json.path("categoryId").asLong(),
                Optional.ofNullable(json.get("status")).map(text -> PetStatus.find(text.asText()).orElseThrow()));
    }

    /// Returns the number of animals acknowledged by 201.
    public int acknowledged() {
        return acknowledged.size();
    }

    /// Returns the number of animals refused by 503.
    public int refused() {
        return refused.get();
    }

    /// Fails unless `kept` has every acknowledged animal as it was acknowledged, and nothing that was never sent or is there
    /// twice. Ids that are given out later have to be above all of these.
    public void verify(List<Pet> kept) {
        Map<Long, Pet> byId = kept.stream().collect(Collectors.toMap(Pet::id, Function.identity()));
        for (Pet pet : acknowledged.values()) {
            assertThat(byId.get(pet.id())).as("an acknowledged animal").isEqualTo(pet);
        }
        for (Pet pet : kept) {
            assertThat(pet).as("an animal that was sent")
                    .isEqualTo(Optional.ofNullable(sent.get(pet.name())).map(p -> p.withId(pet.id()))
                            .orElse(null));
        }
        assertThat(kept.stream().map(Pet::name)).doesNotHaveDuplicates();
        lastId = Math.max(byId.keySet().stream().mapToLong(Long::longValue).max().orElse(0),
                acknowledged.isEmpty() ? 0 : acknowledged.lastKey());
    }
}
