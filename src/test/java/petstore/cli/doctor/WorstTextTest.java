package petstore.cli.doctor;

import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.testkit.WorstText;

/// Linear time for messages of libraries.
class WorstTextTest {

    @TestFactory
    Stream<DynamicTest> readsMessages() {
        return WorstText.BULK.tests("message", text -> Finding.fail("check", new IllegalStateException(text)), "",
                "\n");
    }
}
