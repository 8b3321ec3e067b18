package petstore.testkit;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import petstore.Failure;

import static org.assertj.core.api.Assertions.assertThat;

/// Tests of the time that a function takes for text from outside. The texts are repeated from parts that are slow to parse.
///
/// ```java
/// @TestFactory
/// Stream<DynamicTest> readsAnyFieldInLinearTime() {
///     return WorstText.FIELD.tests("Accept", text -> accepts(text), "", "text/html;");
/// }
/// ```
public enum WorstText {

    /// The value of a header field.
    FIELD(1_900, 7_600, 8, TimeUnit.MILLISECONDS.toNanos(1)),
    /// A part of a request target.
    TARGET(1_000, 4_000, 8, TimeUnit.MILLISECONDS.toNanos(1)),
    /// A body, a line of a file, an argument or a variable.
    BULK(8 * 1024, 64 * 1024, 20, Long.MAX_VALUE);

    private static final List<String> PARTS = List.of("a", "1", " ", ",", ";", "\"", "\\", "/", ":", "=", ".", "%41",
            "\n ",
            "a_", "a b");
    /// In bodies and arguments these are not slower than the parts above.
    private static final List<String> MORE = List.of("\t", "\\\"", "a,", "a=b,", " ,", "; ", "[", "]", "%", "&", "a&",
            "%&",
            "+", "a-", "a.", "@", "::1,", "10.0.0.1, ", "W/\"\",", "pets_", "q=0;", "text/html,", "text/html;q=0,");
    private static final int RUNS = 15;
    /// The time for the JVM to compile the function, also on a loaded machine.
    private static final Duration WARM_UP = Duration.ofSeconds(5);
    /// Shorter times are not compared.
    private static final long FLOOR = TimeUnit.MICROSECONDS.toNanos(300);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final int shortLength;
    private final int longLength;
    private final int mostRatio;
    private final long mostNanos;

    WorstText(int shortLength, int longLength, int mostRatio, long mostNanos) {
        this.shortLength = shortLength;
        this.longLength = longLength;
        this.mostRatio = mostRatio;
        this.mostNanos = mostNanos;
    }

    /// Returns a test for each beginning of a text.
    ///
    /// @param function may throw a [Failure] for a malformed text, any `RuntimeException` for [#BULK]
    public Stream<DynamicTest> tests(String name, Consumer<String> function, String... beginnings) {
        return Stream.of(beginnings).map(beginning -> DynamicTest.dynamicTest(name + " " + beginning, () -> {
            Stream<String> parts = this == BULK ? PARTS.stream() : Stream.concat(PARTS.stream(), MORE.stream());
            parts.forEach(part -> assertLinear(function, beginning, part));
        }));
    }

    private void assertLinear(Consumer<String> function, String beginning, String part) {
        String brief = text(beginning, part, shortLength);
        String full = text(beginning, part, longLength);
        long briefly = Long.MAX_VALUE;
        for (int i = 0; i < RUNS; i++) {
            long taken = nanos(function, brief);
            // The clock of a virtual machine may stand still.
            briefly = taken == 0 ? briefly : Math.min(briefly, taken);
        }
        long fully = Long.MAX_VALUE;
        long beganNs = System.nanoTime();
        // More runs could only be faster.
        while (!isFast(briefly, fully) && System.nanoTime() - beganNs < WARM_UP.toNanos()) {
            fully = Math.min(fully, nanos(function, full));
        }
        assertThat(isFast(briefly, fully)).as("%s… of '%s': %,d ns for %,d characters, %,d ns for %,d", beginning, part,
                briefly, shortLength, fully, longLength).isTrue();
    }

    private boolean isFast(long briefly, long fully) {
        return fully <= mostNanos && (fully < FLOOR || fully <= mostRatio * briefly);
    }

    /// A letter ends the text, because white space at the end would be stripped.
    private static String text(String beginning, String part, int length) {
        return beginning + part.repeat((length - beginning.length() - 1) / part.length()) + "a";
    }

    /// Returns the processor time of this thread for a call.
    private long nanos(Consumer<String> function, String text) {
        long began = THREADS.getCurrentThreadCpuTime();
        try {
            function.accept(text);
        } catch (RuntimeException e) {
            assertThat(this == BULK || e instanceof Failure).as("the text is malformed, not the program: %s", e)
                    .isTrue();
        }
        return THREADS.getCurrentThreadCpuTime() - began;
    }
}
