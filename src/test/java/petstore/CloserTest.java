package petstore;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CloserTest {

    private final List<String> closed = new ArrayList<>();

    /// A part that closes as `end` does.
    private record Part(List<String> closed, String name, Callable<?> end) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            closed.add(name);
            try {
                end.call();
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    private Part part(String name) {
        return new Part(closed, name, () -> name);
    }

    private Part failing(String name, Exception failure) {
        return new Part(closed, name, () -> {
            throw failure;
        });
    }

    @Test
    void closesAllPartsAlthoughSomeFail() {
        Closer parts = new Closer();
        parts.add(part("first"));
        parts.add(failing("second", new IllegalStateException("later")));
        parts.add(part("third"));
        parts.add(failing("fourth", new IOException("disk")));
        parts.add(part("fifth"));
        assertThatThrownBy(parts::close).isInstanceOf(CommandFailure.class).hasMessage("Part cannot be closed: disk")
                .satisfies(failure -> assertThat(failure.getSuppressed()).singleElement().asString()
                        .contains("Part cannot be closed: later"));
        assertThat(closed).containsExactly("fifth", "fourth", "third", "second", "first");
        parts.close();
        assertThat(closed).hasSize(5);
    }

    @Test
    void closesInGivenOrderAlsoAfterError() {
        assertThatThrownBy(() -> Closer.closeAll(new Part(closed, "one", () -> {
            throw new OutOfMemoryError();
        }), part("two")))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(closed).containsExactly("one", "two");
    }

    /// Its message is for people already.
    @Test
    void throwsFailureOfPartUnchanged() {
        CommandFailure failure = new CommandFailure("the disk failed");
        assertThatThrownBy(() -> Closer.closeAll(part("one"), () -> Closer.closeAll(failing("two", failure))))
                .isSameAs(failure);
    }

    @Test
    void namesClassOfLambda() {
        assertThatThrownBy(() -> Closer.closeAll(() -> {
            throw new IOException("disk");
        })).hasMessage("CloserTest cannot be closed: disk");
    }

    @Test
    void closesNothingAfterHandOver() {
        Closer owner;
        try (Closer parts = new Closer()) {
            parts.add(part("first"));
            parts.add(part("second"));
            owner = parts.handOver();
        }
        assertThat(closed).isEmpty();
        owner.close();
        assertThat(closed).containsExactly("second", "first");
    }
}
