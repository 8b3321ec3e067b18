package petstore.cli.doctor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// A group of checks.
///
/// @param name the name of the finding if the whole group fails
record Check(String name, Supplier<List<Finding>> findings) {

    private static final long LIMIT_SECONDS = 12;

    /// Runs all groups at the same time. A group that takes longer than 12 seconds is one failed check.
    static List<Finding> run(List<Check> checks) {
        return checks.stream().map(Check::begin).toList().stream().flatMap(done -> done.join().stream()).toList();
    }

    private CompletableFuture<List<Finding>> begin() {
        return CompletableFuture.supplyAsync(this::guarded, task -> Thread.ofPlatform().name(name).daemon().start(task))
                .completeOnTimeout(List.of(Finding.fail(name, "no result within " + LIMIT_SECONDS + " s",
                        "see that its disk or host responds")), LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private List<Finding> guarded() {
        try {
            return findings.get();
        } catch (RuntimeException e) {
            return List.of(Finding.fail(name, e));
        }
    }
}
