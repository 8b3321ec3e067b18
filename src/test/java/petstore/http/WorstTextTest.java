package petstore.http;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.http.message.HeaderFields;
import petstore.testkit.WorstText;

/// Linear time for media types and paths.
class WorstTextTest {

    @TestFactory
    Stream<DynamicTest> readsFields() {
        return Stream.concat(
                WorstText.FIELD.tests("Content-Type",
                        text -> MediaType.refusal(new HeaderFields(_ -> true).add("Content-Type", text)), "",
                        "application/json",
                        "application/json;", "application/json;charset="),
                WorstText.FIELD.tests("Content-Encoding",
                        text -> MediaType.refusal(new HeaderFields(_ -> true).add("Content-Encoding", text)), "",
                        "identity,"));
    }

    @TestFactory
    Stream<DynamicTest> readsPaths() {
        Routes.Route route = new Routes.Route("GET", "/v1/pets/{petId}", Optional.empty(),
                _ -> new CompletableFuture<>(), List.of());
        Routes routes = new Routes(List.of(route), "");
        return WorstText.TARGET.tests("path", text -> {
            if (routes.find("GET", text).isEmpty()) {
                routes.refusal(text);
            }
        }, "/", "/v1/pets/", "/v1/pets/%");
    }

    @TestFactory
    Stream<DynamicTest> readsBaseUrls() {
        return WorstText.BULK.tests("base URL", BaseUrl::parse, "", "https://", "https://a:", "https://a/");
    }
}
