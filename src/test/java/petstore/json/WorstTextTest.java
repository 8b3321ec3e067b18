package petstore.json;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.testkit.WorstText;

/// Linear time for bodies.
class WorstTextTest {

    @TestFactory
    Stream<DynamicTest> readsBodies() {
        return WorstText.BULK.tests("body", text -> NewPetParser.parse(text.getBytes(StandardCharsets.UTF_8)), "",
                "{\"name\":\"", "{\"name\":\"a\",\"categoryId\":", "{\"id\":\"", "{\"x\":\"", "{\"", "{\"x\":[",
                "{\"a\":1,");
    }
}
