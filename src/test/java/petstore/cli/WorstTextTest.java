package petstore.cli;

import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.testkit.WorstText;

/// Linear time for messages, which repeat arguments.
class WorstTextTest {

    @TestFactory
    Stream<DynamicTest> readsMessages() {
        return WorstText.BULK.tests("message", Main::oneLine, "", "\n");
    }
}
