package petstore;

import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.testkit.WorstText;

/// Linear time for text that is shown or logged.
class WorstTextTest {

    @TestFactory
    Stream<DynamicTest> readsText() {
        return Stream.of(WorstText.BULK.tests("text", SafeText::of, "", "pets_", "\u202e"),
                WorstText.BULK.tests("message", SafeText::oneLine, "", "\n"),
                WorstText.BULK.tests("word", SafeText::word, ""),
                WorstText.BULK.tests("name", ApiKey::isName, ""),
                WorstText.BULK.tests("stack trace", SafeText::ofTrace, "", "\t"),
                WorstText.BULK.tests("key", KeyToken::parse, "", "pets_"),
                WorstText.BULK.tests("redacted", KeyToken::redacted, "", "pets_", "pets%5f"),
                WorstText.BULK.tests("key for an id", KeyToken::isPastedKey, "", "Bearer ", "pets_"),
                WorstText.BULK.tests("rate limit", RateLimit::find, "", "1/")).flatMap(tests -> tests);
    }
}
