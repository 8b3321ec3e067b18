package petstore.cli.options;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.testkit.WorstText;

/// Linear time for arguments.
class WorstTextTest {

    @TestFactory
    Stream<DynamicTest> readsArguments() {
        return Stream.of(
                WorstText.BULK.tests("password", ArgumentPasswords::refusal, "", "postgres://", "postgres:",
                        "postgres://a:", "postgres://a?password", "postgres://a?password="),
                WorstText.BULK.tests("mistyped", text -> NearestWord.suggestion(text, List.of(text + "b", "b" + text)),
                        ""),
                argument("duration", OptionConverters::duration, "", "1"),
                argument("moment", OptionConverters::instant, "", "2027-01-31T12:00:00."),
                argument("rate limit", OptionConverters::rateLimit, "", "1/"),
                argument("scope", OptionConverters::scope, ""),
                argument("port", new OptionConverters.Port()::convert, "", "0"),
                argument("host", new OptionConverters.Host()::convert, "", "["),
                argument("id", new OptionConverters.KeyId()::convert, "", "Bearer ", "pets_"),
                argument("origin", new OptionConverters.Origin()::convert, "", "https://", "https://a:"),
                argument("network", OptionConverters::network, "", "10.0.0.0/"),
                argument("field", new OptionConverters.AddressField()::convert, "")).flatMap(tests -> tests);
    }

    private static Stream<DynamicTest> argument(String name, Consumer<String> converter, String... beginnings) {
        return WorstText.BULK.tests(name, converter, beginnings);
    }
}
