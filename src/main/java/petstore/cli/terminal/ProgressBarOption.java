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

    /// The unit of a task that counts bytes; small ones are shown in KiB or B.
    public static final String BYTES = " MiB";
    private static final int MAX_COLUMNS = 80;
    /// Fewer columns have no room for the speed, or for the time left.
    private static final int COLUMNS_FOR_SPEED = 70;
    private static final int COLUMNS_FOR_TIME_LEFT = 50;
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;
    private static final int UPDATE_MS = 200;

    @Option(names = {"-q", "--quiet"}, description = "Shows no progress bar.")
    private boolean quiet;
    private long beganNs = System.nanoTime();

    /// The progress of a task, shown until it is closed.
    ///
    /// @param bar absent without a terminal
    /// @param end ends the line of the bar
    /// @param hook runs if a signal ends the process meanwhile
    public record Display(Optional<ProgressBar> bar, Runnable end, Thread hook)
            implements
                LongConsumer,
                AutoCloseable {
        @Override
        public void accept(long done) {
            bar.ifPresent(shown -> shown.stepTo(done));
        }

        @Override
        public void close() {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The process ends, and the hook runs.
                return;
            }
            end.run();
        }
    }

    /// Returns the time since the last [#start], for a summary, e.g. ` in 1.2 s`.
    public String took() {
        return String.format(Locale.ROOT, " in %.1f s", (System.nanoTime() - beganNs) / 1e9);
    }

    /// Shows the progress of a task.
    ///
    /// @param unit the unit of the steps, e.g. ` pages` or [#BYTES]
    /// @param total returns the number of steps; not called without a terminal
    public Display start(Console console, String task, String unit, LongSupplier total) {
        beganNs = System.nanoTime();
        Optional<ProgressBar> bar = quiet || !console.isTerminal()
                ? Optional.empty()
                : Optional.of(bar(console, task, unit, total.getAsLong()));
        Runnable end = () -> bar.ifPresent(shown -> {
            shown.close();
            console.err().println();
        });
        Thread hook = Thread.ofPlatform().unstarted(() -> {
            end.run();
            console.printError("petstore: the " + task + " was interrupted");
        });
        Runtime.getRuntime().addShutdownHook(hook);
        return new Display(bar, end, hook);
    }

    private static ProgressBar bar(Console console, String task, String unit, long total) {
        int columns = Math.min(MAX_COLUMNS, Integer.getInteger("petstore.columns", MAX_COLUMNS));
        ProgressBarConsumer terminal = new DelegatingProgressBarConsumer(line -> {
            console.err().print("\r" + line);
            console.err().flush();
        }, columns - 1);
        ProgressBarBuilder builder = new ProgressBarBuilder().setTaskName(task).setInitialMax(total)
                .setStyle(ProgressBarStyle.ASCII).setUpdateIntervalMillis(UPDATE_MS).setConsumer(terminal);
        if (!unit.equals(BYTES)) {
            builder.setUnit(unit, 1);
        } else if (total < MIB) {
            builder.setUnit(total < KIB ? " B" : " KiB", total < KIB ? 1 : KIB);
        } else {
            builder.setUnit(unit, MIB);
        }
        if (columns >= COLUMNS_FOR_SPEED) {
            builder.showSpeed();
        }
        if (columns < COLUMNS_FOR_TIME_LEFT) {
            builder.hideEta();
        }
        return builder.build();
    }
}
