package petstore.transfer;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import petstore.Catalogue;
import petstore.Failure;

/// A thread that adds groups of animals, one after the other.
final class GroupWriter implements AutoCloseable {
    private static final Future<Integer> NOTHING = CompletableFuture.completedFuture(0);

    private final ExecutorService thread = Executors
            .newSingleThreadExecutor(Thread.ofPlatform().name("import").factory());
    private final Catalogue catalogue;
    private final Duration pause;
    private Future<Integer> current = NOTHING;
    private long written;

    /// @param pause the time between two groups, for others that write to the store
    GroupWriter(Catalogue catalogue, Duration pause) {
        this.catalogue = catalogue;
        this.pause = pause;
    }

    /// Begins to write a group when the one before is written. Errors: as for [#finish].
    void write(List<ImportLine.Good> group) {
        finish();
        current = thread.submit(() -> {
            catalogue.addAll(group.stream().map(ImportLine.Good::pet).toList());
            Thread.sleep(pause);
            return group.size();
        });
    }

    /// Returns the number of animals in finished groups.
    long written() {
        return written;
    }

    /// Waits for the current group. Throws [Failure], once, if it was not written.
    void finish() {
        Future<Integer> group = current;
        current = NOTHING;
        try {
            written += group.get();
        } catch (ExecutionException e) {
            throw new Failure(Failure.Kind.UNAVAILABLE,
                    Optional.ofNullable(e.getCause()).map(Throwable::getMessage).orElse(""), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.unavailable("it was interrupted");
        }
    }

    /// Waits for the current group, and returns the failure of an import that stops here.
    Failure stopped(Exception cause) {
        try {
            finish();
        } catch (Failure e) {
            return stopped(e);
        }
        String stopped = "the import stopped after " + written + " animals, which stay";
        return cause instanceof Failure failure
                ? new Failure(failure.kind(), stopped + ": " + failure.getMessage(), failure)
                : new Failure(Failure.Kind.UNAVAILABLE, stopped, cause);
    }

    @Override
    public void close() {
        thread.close();
    }
}
