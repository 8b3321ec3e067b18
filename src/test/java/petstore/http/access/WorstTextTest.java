package petstore.http.access;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import petstore.http.message.HeaderFields;
import petstore.http.message.RequestHead;
import petstore.store.SqlStore;
import petstore.testkit.TestStore;
import petstore.testkit.WorstText;

/// Linear time for `Authorization` and `Origin`.
class WorstTextTest {

    @TestFactory
    Stream<DynamicTest> readsFields(@TempDir Path folder) {
        SqlStore store = TestStore.open(folder);
        Bearer bearer = new Bearer(store.keys(), Optional.of("a-configured-key"), new SimpleMeterRegistry());
        BrowserPolicy browsers = new BrowserPolicy(List.of("https://shop.example"), false);
        return Stream.of(
                WorstText.FIELD.tests("Authorization",
                        text -> bearer.authenticate(new HeaderFields(_ -> true).add("Authorization", text)), "",
                        "Bearer ",
                        "Bearer pets_"),
                WorstText.FIELD.tests("Origin", text -> browsers.access(preflight(text)), "",
                        "https://shop.example"))
                .flatMap(tests -> tests).onClose(store::close);
    }

    private static RequestHead preflight(String origin) {
        return new RequestHead("OPTIONS", "/v1/pets", null, new HeaderFields(_ -> true).add("Origin", origin), "-", "-",
                0);
    }
}
