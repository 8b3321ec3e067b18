package petstore.log;

import java.util.List;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.testkit.WorstText;

/// Linear time for lines of the log.
class WorstTextTest {

    @TestFactory
    Stream<DynamicTest> writesLines() {
        return Stream.of(Logging.Format.values()).flatMap(format -> {
            LogLayout layout = new LogLayout(format);
            return Stream.concat(
                    WorstText.BULK.tests(format + " message",
                            text -> layout.line(0, Level.INFO, "logger", text, "", List.of()), "", "pets_"),
                    WorstText.BULK.tests(format + " trace",
                            text -> layout.line(0, Level.INFO, "logger", "", text, List.of()), "", "\n\t"));
        });
    }
}
