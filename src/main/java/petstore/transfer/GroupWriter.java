package petstore.transfer;

import java.io.IOException;
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

/// Writes one group after the other on a thread of its own.
final class GroupWriter implements AutoCloseable {
    private static final Future<Integer> NOTHING = CompletableFuture.completedFuture(0);

    private final ExecutorService thread = Executors
            .newSingleThreadExecutor(Thread.ofPlatform().name("import").factory());
    private final Catalogue catalogue;
    private final Duration pause;
    private Future<Integer> before = NOTHING;
    private long written;

    /// @param pause how long to leave the store to others between two groups
    GroupWriter(Catalogue catalogue, Duration pause) {
        this.catalogue = catalogue;
        this.pause = pause;
    }

    /// Begins to write a group when the one before is written. Errors: as for [#finish].
    void write(List<ImportLine.Good> pets) {
        finish();
        before = thread.submit(() -> add(pets));
    }

    private int add(List<ImportLine.Good> pets) throws InterruptedException {
        catalogue.addAll(pets.stream().map(ImportLine.Good::pet).toList());
        Thread.sleep(pause);
        return pets.size();
    }

    /// Waits for the last group. Returns the number of animals written. Throws [Failure], once, if the group was not written.
    long finish() {
        Future<Integer> group = before;
        before = NOTHING;
        try {
            written += group.get();
            return written;
        } catch (ExecutionException e) {
            throw new Failure(Failure.Kind.UNAVAILABLE,
                    Optional.ofNullable(e.getCause()).map(Throwable::getMessage).orElse(""), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.unavailable("it was interrupted");
        }
    }

    /// Says why the import goes no further, and what stays, for which it waits.
    Failure stopped(Exception cause) {
        try {
            finish();
        } catch (Failure e) {
            return stopped(e);
        }
        String stopped = "the import stopped after " + written + " animals, which stay";
        return switch (cause) {
            case IOException e -> Failure.unavailable(stopped, e);
            case Failure e -> new Failure(e.kind(), stopped + ": " + e.getMessage(), e);
            default -> new Failure(Failure.Kind.UNAVAILABLE, stopped, cause);
        };
    }

    @Override
    public void close() {
        thread.close();
    }
}
