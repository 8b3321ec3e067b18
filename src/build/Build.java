import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Builds the program of a checkout with Maven, for the launcher. The progress on stderr is one line that is rewritten each second, or
/// a line for each phase without a terminal. If the build fails, the errors in Maven's log follow.
///
/// Usage: `java Build.java HOME SUM COLUMNS`, where HOME is the checkout, SUM the checksum of its sources, and COLUMNS the width of the
/// terminal, or 0 if stderr is not a terminal; `java Build.java PROCESS` ends a process and its descendants.
///
/// Maven works in a new folder below `.build`, and ends with this process. After kill -9 it may live a moment longer than the lock.
/// A finished build moves its files to `.build`, one by one, because a running server may have the earlier files open. The last file,
/// `stamp`, has the checksum from before the build. A change during the build leads to another one.
///
/// Exit codes: 0 built · 1 failed · 3 waited for the build of another process
public class Build {

    /// The phase that compiles the program, and the goals of `package` that the program needs.
    private static final List<String> GOALS = List.of("process-classes",
            "assembly:single@jar", "exec:exec@aot-caches");
    /// The phases to show, by a part of the line with which a goal begins in Maven's log.
    private static final Map<String, String> PHASES = Map.of(":compile (", "compiling", ":single (", "packaging", "(aot-caches)",
            "making the caches of a fast start");
    /// Starts Maven, and ends it if stdin ends without a line. The kernel closes stdin however this process ends. The number of Maven's
    /// process is not reused until the shell waits for it.
    private static final String GUARD = """
            exec 3<&0
            mvn "$@" </dev/null 3<&- &
            exec >/dev/null 2>&1
            read -r _ <&3 || "$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 "$0" $! || kill $!
            wait $!
            """;
    private static final int NOT_FOUND = 127;
    private static final int WAITED = 3;
    private static final Pattern ESCAPE = Pattern.compile("\\x1b\\[[0-?]*[ -/]*[@-~]");
    private static final Pattern FETCHED = Pattern.compile("\\[INFO\\] Downloaded from .* \\(([0-9.]+) ([kM]?)B\\b.*");
    /// Lines of the log that do not tell why a build failed.
    private static final Pattern NOISE = Pattern
            .compile("\\s*|\\[INFO\\].*|\\[ERROR\\] (|-> \\[Help.*|To see .*|Re-run .*|For more .*|\\[Help .*)");
    private static final int MOST_LINES = 10;
    /// The space for the work and its result, beside an earlier build.
    private static final long SPACE_MB = 150;

    private final Path home;
    private final Path folder;
    private final Path work;
    private final String sum;
    private final int columns;
    private final long beganNs = System.nanoTime();
    private String phase = "";
    private String shown = "";
    private double megabytes;
    private boolean ended;

    private Build(Path home, String sum, int columns) {
        this.home = home;
        this.sum = sum;
        this.folder = home.resolve(".build");
        this.work = folder.resolve("maven-" + System.currentTimeMillis());
        this.columns = columns;
    }

    public static void main(String[] args) throws InterruptedException {
        if (args.length == 1) {
            ProcessHandle.of(Long.parseLong(args[0])).ifPresent(Build::end);
            return;
        }
        Build build = new Build(Path.of(args[0]), args[1], Integer.parseInt(args[2]));
        int code;
        try {
            code = build.lockAndRun();
        } catch (IOException | RuntimeException e) {
            code = build.fail("the build failed: " + e);
        }
        System.exit(code);
    }

    private static void end(ProcessHandle process) {
        List<ProcessHandle> all = Stream.concat(Stream.of(process), process.descendants()).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(each -> each.onExit().completeOnTimeout(each, 10, TimeUnit.SECONDS).join());
    }

    private int lockAndRun() throws IOException, InterruptedException {
        FileChannel lock;
        try {
            Files.createDirectories(folder.resolve("lib"));
            lock = FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            return fail("this checkout must be built, and its folder cannot be written; copy it to one that can: " + e.getMessage());
        }
        if (columns > 0) {
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory())
                    .scheduleAtFixedRate(this::rewrite, 1, 1, TimeUnit.SECONDS);
        }
        // The kernel frees the lock, however this process ends.
        try (lock; FileLock held = lock.tryLock()) {
            if (held == null) {
                begin("waiting for another build of this checkout");
                lock.lock();
                clear();
                return WAITED;
            }
            return build();
        }
    }

    private int build() throws IOException, InterruptedException {
        begin("building: starting Maven");
        deleteEarlierWork();
        long free = folder.toFile().getUsableSpace() / 1_000_000;
        if (free < SPACE_MB) {
            return fail("the build needs " + SPACE_MB + " MB in " + folder + ", where " + free + " MB are free");
        }
        Files.createDirectories(work);
        Files.writeString(work.resolve("stamp"), sum + "\n");
        Path log = folder.resolve("build.log");
        Process maven = start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (maven.isAlive()) {
                fail("the build was stopped; the next command begins it anew");
                end(maven.toHandle());
            }
        }));
        try (OutputStream guard = maven.getOutputStream(); BufferedReader lines = maven.inputReader();
                Writer whole = Files.newBufferedWriter(log)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                line = ESCAPE.matcher(line).replaceAll("");
                whole.write(line + "\n");
                read(line);
            }
            guard.write('\n');
        }
        int code = maven.waitFor();
        if (code == NOT_FOUND) {
            return fail("this checkout must be built, and Maven (mvn) was not found; install Maven 3.8 or later:"
                    + " apt install maven, or sdk install maven");
        }
        if (code != 0) {
            finish(errors(log) + "petstore: the build failed with exit code " + code + "; the whole log: " + log);
            return 1;
        }
        publish();
        finish("petstore: built in " + seconds() + fetched());
        return 0;
    }

    /// Returns the first lines from the first error in Maven's log on; without an error, the last lines.
    private static String errors(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log).stream().filter(line -> !NOISE.matcher(line).matches()).toList();
        int begin = IntStream.range(0, lines.size()).filter(i -> lines.get(i).startsWith("[ERROR]")).findFirst()
                .orElse(Math.max(0, lines.size() - MOST_LINES));
        return lines.stream().skip(begin).limit(MOST_LINES).map(line -> line + "\n").collect(Collectors.joining());
    }

    private Process start() throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", GUARD, home.resolve("src/build/Build.java").toString(),
                "-B", "-V", "-U", "-Dstyle.color=never", "-f", home.resolve("pom.xml").toString(), "-Dquick",
                "-Dbuild.folder=" + home.relativize(work),
                // The Java that later runs the program must make the caches.
                "-Dtoolchain.jdk.comparator=current,lts,env,version,vendor"));
        command.addAll(GOALS);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().merge("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
                (users, own) -> own + " " + users + " -Dorg.slf4j.simpleLogger.showDateTime=false");
        return builder.start();
    }

    /// Moves each file in one step, so that the old or the new file is always complete.
    private void publish() throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> libraries = Files.list(work.resolve("lib"))) {
            libraries.forEach(files::add);
        }
        for (String name : List.of("petstore.jar", "petstore.aot", "commands.aot", "jdk.release", "stamp")) {
            files.add(work.resolve(name));
        }
        for (Path file : files) {
            Files.move(file, folder.resolve(work.relativize(file)), StandardCopyOption.ATOMIC_MOVE);
        }
        delete(work);
    }

    /// Deletes the folders of stopped builds, unless a process that Maven started still writes to them.
    private void deleteEarlierWork() throws IOException {
        try (Stream<Path> earlier = Files.list(folder)) {
            for (Path path : earlier.filter(path -> path.getFileName().toString().startsWith("maven")).toList()) {
                try {
                    delete(path);
                } catch (IOException | UncheckedIOException e) {
                    // A later build tries again.
                }
            }
        }
    }

    private static void delete(Path path) throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private synchronized void begin(String next) {
        if (next.equals(phase) || ended) {
            return;
        }
        phase = next;
        if (columns > 0) {
            rewrite();
        } else {
            System.err.println("petstore: " + phase);
        }
    }

    /// Updates the progress by a line of Maven's log.
    private synchronized void read(String line) {
        Matcher fetched = FETCHED.matcher(line);
        if (fetched.matches()) {
            megabytes += Double.parseDouble(fetched.group(1)) * Map.of("k", 1e-3, "M", 1.0, "", 1e-6).get(fetched.group(2));
            if (phase.endsWith("Maven")) {
                begin("building: fetching plugins and libraries");
            }
        } else if (line.startsWith("[INFO] --- ")) {
            PHASES.keySet().stream().filter(line::contains).forEach(goal -> begin("building: " + PHASES.get(goal)));
        }
    }

    private int fail(String line) {
        finish("petstore: " + line);
        return 1;
    }

    /// Replaces the rewritten line by the last lines. Later calls write nothing.
    private synchronized void finish(String lines) {
        clear();
        if (!ended) {
            System.err.println(lines);
        }
        ended = true;
    }

    /// Removes the rewritten line.
    private synchronized void clear() {
        System.err.print(shown.isEmpty() ? "" : "\r" + " ".repeat(shown.length()) + "\r");
        shown = "";
        phase = "";
    }

    private synchronized void rewrite() {
        if (!phase.isEmpty() && !ended) {
            String tail = fetched() + ", " + seconds();
            String line = cut(cut("petstore: " + phase, columns - 1 - tail.length()) + tail, columns - 1);
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
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNs) + " s";
    }
}
