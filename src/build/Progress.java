import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The progress of a build on stderr: on a terminal one line that is rewritten each second, else a line for each step.
final class Progress {

    private static final Pattern GOAL = Pattern.compile("\\[INFO\\] --- \\S+:(\\S+) \\((\\S+)\\) @ .*");
    private static final Pattern FETCHED = Pattern.compile("\\[INFO\\] Downloaded from .* \\(([0-9.]+) ([kMG]?)B\\b.*");

    private final int columns;
    private final long began = System.nanoTime();
    private String step = "";
    private String shown = "";
    private double megabytes;
    private boolean ended;

    /// @param columns the width of the terminal, or 0 if stderr is not a terminal
    Progress(int columns) {
        this.columns = columns;
        if (columns > 0) {
            new Timer(true).schedule(new TimerTask() {
                @Override
                public void run() {
                    rewrite();
                }
            }, 1000, 1000);
        }
    }

    synchronized void step(String next) {
        if (next.equals(step) || ended) {
            return;
        }
        step = next;
        if (columns > 0) {
            rewrite();
        } else {
            System.err.println("petstore: " + step);
        }
    }

    /// Updates the progress by a line of Maven's log.
    synchronized void read(String line) {
        Matcher fetched = FETCHED.matcher(line);
        if (fetched.matches()) {
            megabytes += Double.parseDouble(fetched.group(1)) * switch (fetched.group(2)) {
                case "k" -> 1e-3;
                case "M" -> 1;
                case "G" -> 1e3;
                default -> 1e-6;
            };
            if (step.endsWith("Maven")) {
                step("building: fetching plugins and libraries");
            }
        }
        Matcher goal = GOAL.matcher(line);
        if (goal.matches()) {
            switch (goal.group(1)) {
                case "compile" -> step("building: compiling");
                case "jar" -> step("building: packaging");
                case "exec" -> {
                    if (goal.group(2).equals("aot-caches")) {
                        step("building: making the caches of a fast start");
                    }
                }
                default -> {
                    // The other goals are short.
                }
            }
        }
    }

    synchronized void built() {
        end("built in " + seconds() + fetched());
    }

    /// Replaces the rewritten line by the last lines. Later calls write nothing.
    synchronized void end(String... lines) {
        clear();
        if (!ended) {
            for (String line : lines) {
                System.err.println("petstore: " + line);
            }
        }
        ended = true;
    }

    /// Removes the rewritten line.
    synchronized void clear() {
        if (!shown.isEmpty()) {
            System.err.print("\r" + " ".repeat(shown.length()) + "\r");
            shown = "";
        }
        step = "";
    }

    private synchronized void rewrite() {
        if (!step.isEmpty() && !ended) {
            String tail = fetched() + ", " + seconds();
            String line = cut(cut("petstore: " + step, columns - 1 - tail.length()) + tail, columns - 1);
            System.err.print("\r" + line + " ".repeat(Math.max(0, shown.length() - line.length())));
            shown = line;
        }
    }

    /// Returns the text, cut to `width`: a line that wraps cannot be rewritten.
    private static String cut(String text, int width) {
        return text.substring(0, Math.clamp(width, 0, text.length()));
    }

    private String fetched() {
        return megabytes == 0 ? "" : ", " + Math.round(megabytes) + " MB fetched";
    }

    private String seconds() {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began) + " s";
    }
}
