package petstore.cli.doctor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import petstore.CommandFailure;

/// A check of `petstore doctor`.
///
/// `serve` itself says what keeps it from starting. So a check is of something that `serve` does not look at, or only later.
///
/// @param look returns the findings, one or more. It may block. A [CommandFailure] is the failed check, in the words of `serve`.
record Check(String name, Supplier<List<Finding>> look) {

    private static final long LIMIT_SECONDS = 12;

    /// Returns a check with one finding.
    static Check of(String name, Supplier<Finding> look) {
        return new Check(name, () -> List.of(look.get()));
    }

    /// Runs all checks at the same time. Returns their rows: state, check, finding and advice. A check that takes longer than 12 seconds
    /// fails.
    static List<List<String>> run(List<Check> checks) {
        return checks.stream().map(Check::begin).toList().stream().flatMap(rows -> rows.join().stream()).toList();
    }

    private CompletableFuture<List<List<String>>> begin() {
        return CompletableFuture
                .supplyAsync(this::findings, task -> Thread.ofPlatform().name(name).daemon().start(task))
                .completeOnTimeout(List.of(Finding.fail("no result within " + LIMIT_SECONDS + " s",
                        "see that its disk or host responds")), LIMIT_SECONDS, TimeUnit.SECONDS)
                .thenApply(findings -> findings.stream().map(finding -> finding.row(name)).toList());
    }

    private List<Finding> findings() {
        try {
            return look.get();
        } catch (RuntimeException e) {
            return List.of(Finding.fail(e));
        }
    }
}
