package petstore.cli.terminal;

import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine.Option;

/// A progress bar with rate and time left, for people: on a terminal, unless `--quiet` is given.
public final class ProgressBarOption {

    private static final int WIDTH = 79;
    private static final int UPDATE_MS = 200;

    @Option(names = {"-q", "--quiet"}, description = "Shows no progress bar.")
    private boolean quiet;

    /// A task whose progress is shown, to those who look, until it is closed.
    ///
    /// @param bar absent when nobody looks
    public record Display(Optional<ProgressBar> bar) implements LongConsumer, AutoCloseable {
        @Override
        public void accept(long done) {
            bar.ifPresent(shown -> shown.stepTo(done));
        }

        @Override
        public void close() {
            bar.ifPresent(ProgressBar::close);
        }
    }

    /// Begins to show a task.
    ///
    /// @param unit what is counted, e.g. ` animals`
    /// @param size how much of the unit is one of what is shown
    /// @param total tells how much there is to do, if anybody looks
    public Display start(Console console, String task, String unit, long size, LongSupplier total) {
        if (quiet || !console.isTerminal()) {
            return new Display(Optional.empty());
        }
        return new Display(Optional.of(new ProgressBarBuilder().setTaskName(task).setUnit(unit, size).showSpeed()
                .setInitialMax(total.getAsLong()).setStyle(ProgressBarStyle.ASCII).setUpdateIntervalMillis(UPDATE_MS)
                .setConsumer(new Line(console)).build()));
    }

    /// The one line of the terminal that is written again and again.
    private record Line(Console console) implements ProgressBarConsumer {
        @Override
        public int getMaxRenderedLength() {
            return WIDTH;
        }

        @Override
        public void accept(String rendered) {
            console.err().print("\r" + rendered);
            console.err().flush();
        }

        @Override
        public void close() {
            console.err().println();
        }
    }
}
