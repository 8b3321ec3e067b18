package petstore.cli.doctor;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import petstore.CommandFailure;

/// A check: its name, what it looks at, and what it says.
///
/// `serve` itself says what keeps it from starting. So a check is of something that `serve` does not look at, or only later.
///
/// @param <T> the fact
/// @param looks returns the fact. It may block. A [CommandFailure] is the failed check, in the words of `serve`.
/// @param says returns the findings, one or more
record Check<T>(String name, Callable<T> looks, Function<T, List<Finding>> says) {

    private static final long LIMIT_SECONDS = 12;

    /// Returns a check with one finding.
    static <T> Check<T> of(String name, Callable<T> looks, Function<T, Finding> says) {
        return new Check<>(name, looks, fact -> List.of(says.apply(fact)));
    }

    /// Runs all checks at the same time. Returns their rows: state, check, finding and advice. A check that takes longer than 12 seconds
    /// fails.
    static List<List<String>> run(List<Check<?>> checks) {
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
            return says.apply(looks.call());
        } catch (IOException e) {
            return List.of(Finding.fail(CommandFailure.of("it cannot be read", e)));
        } catch (Exception e) {
            return List.of(Finding.fail(e));
        }
    }
}
