package petstore;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/// Closes parts in the reverse order of their opening: all of them, also if some fail.
///
/// Errors of closing: the [Failure] or [CommandFailure] of the first part that failed, else a [CommandFailure] with the name of that part.
/// Later errors are suppressed onto it.
public final class Closer implements AutoCloseable {

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    public Closer() {
        this(List.of());
    }

    /// A closer of these parts, of which the first was opened first.
    public Closer(List<? extends AutoCloseable> opened) {
        opened.forEach(parts::push);
    }

    /// Returns the part, which this closes from now on.
    public <P extends AutoCloseable> P add(P part) {
        parts.push(part);
        return part;
    }

    /// Returns a closer of all parts. This one closes none of them then.
    public Closer handOver() {
        Closer owner = new Closer(List.copyOf(parts).reversed());
        parts.clear();
        return owner;
    }

    /// Closes parts in the given order.
    public static void closeAll(AutoCloseable... parts) {
        new Closer(Arrays.asList(parts).reversed()).close();
    }

    @Override
    public void close() {
        if (parts.isEmpty()) {
            return;
        }
        AutoCloseable part = parts.pop();
        try (this) {
            close(part);
        }
    }

    private static void close(AutoCloseable part) {
        try {
            part.close();
        } catch (Failure | CommandFailure e) {
            throw e;
        } catch (Exception e) {
            // The name of the part's class; for a lambda, of the class that has it.
            String name = part.getClass().getSimpleName().replaceFirst("\\$\\$Lambda.*", "");
            throw new CommandFailure(name + " cannot be closed: " + e.getMessage(), e);
        }
    }
}
