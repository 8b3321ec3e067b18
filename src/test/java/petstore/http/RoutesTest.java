package petstore.http;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.message.KeyScanner;
import petstore.store.SqlStore;
import petstore.testkit.TestSettings;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;

class RoutesTest {

    @Test
    void routesMatchOperationsAndScopesOfContract(@TempDir Path folder) throws IOException {
        ApiSettings settings = new TestSettings().api();
        try (SqlStore store = TestStore.open(folder)) {
            Routes routes = Routes.api(settings,
                    new PetOperations(store.catalogue(), settings.base(), settings.idempotencyRetention(),
                            new PageCache(store.memory()),
                            new KeyScanner(Optional.empty()),
                            Clock.systemUTC()),
                    new Health(store::check, "1.2.3", new UnavailabilityLog()), Runnable::run);
            Set<String> served = routes.table().stream().filter(route -> Dispatcher.needsKey(route.path()))
                    .map(route -> route.method() + " " + route.path() + " " + route.scope().orElseThrow().text())
                    .collect(Collectors.toSet());
            assertThat(served).isEqualTo(documented());
            assertThat(routes.table()).allSatisfy(
                    route -> assertThat(route.scope().isPresent()).isEqualTo(Dispatcher.needsKey(route.path())));
        }
    }

    private static Set<String> documented() throws IOException {
        JsonNode contract = YAMLMapper.builder().build().readTree(Files.readString(Path.of("openapi.yaml")));
        Set<String> operations = new TreeSet<>();
        contract.get("paths").propertyStream().forEach(path -> path.getValue().propertyStream()
                .filter(operation -> operation.getValue().has("operationId"))
                .forEach(operation -> operations.add(operation.getKey().toUpperCase(Locale.ROOT) + " /v1"
                        + path.getKey() + " " + operation.getValue().at("/security/0/apiKey/0").asText())));
        return operations;
    }
}
