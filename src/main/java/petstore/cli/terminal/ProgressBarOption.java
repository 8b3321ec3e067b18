package petstore.cli.terminal;

import java.util.Locale;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine.Option;

/// A progress bar with rate and time left, on a terminal, unless `--quiet` is given.
public final class ProgressBarOption {

    private static final int WIDTH = 79;
    private static final int UPDATE_MS = 200;

    @Option(names = {"-q", "--quiet"}, description = "Shows no progress bar.")
    private boolean quiet;
    private long beganNs = System.nanoTime();

    /// The progress of a task, shown until it is closed.
    ///
    /// @param bar absent without a terminal
    public record Display(Console console, Optional<ProgressBar> bar) implements LongConsumer, AutoCloseable {
        @Override
        public void accept(long done) {
            bar.ifPresent(shown -> shown.stepTo(done));
        }

        @Override
        public void close() {
            bar.ifPresent(shown -> {
                shown.close();
                console.err().println();
            });
        }
    }

    /// Returns the time since the last [#start], for a summary, e.g. ` in 1.2 s`.
    public String took() {
        return String.format(Locale.ROOT, " in %.1f s", (System.nanoTime() - beganNs) / 1e9);
    }

    /// Shows the progress of a task.
    ///
    /// @param unit the unit of the numbers shown, e.g. ` MiB`
    /// @param size the number of steps in a unit
    /// @param total returns the number of steps; not called without a terminal
    public Display start(Console console, String task, String unit, long size, LongSupplier total) {
        beganNs = System.nanoTime();
        if (quiet || !console.isTerminal()) {
            return new Display(console, Optional.empty());
        }
        ProgressBarConsumer terminal = new DelegatingProgressBarConsumer(line -> {
            console.err().print("\r" + line);
            console.err().flush();
        }, WIDTH);
        return new Display(console, Optional.of(new ProgressBarBuilder().setTaskName(task).setUnit(unit, size)
                .showSpeed().setInitialMax(total.getAsLong()).setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(UPDATE_MS).setConsumer(terminal).build()));
    }
}
