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
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Builds the program of a checkout with Maven, for the launcher.
///
/// Usage: `java Build.java HOME COLUMNS`, where HOME is the checkout, and COLUMNS the width of the terminal, or 0 if stderr is not a
/// terminal.
///
/// Maven works in a new folder below `.build`, and ends with this process. After kill -9 it may live a moment longer than the lock.
/// A finished build moves its files to `.build`, one by one, because a running server may have the earlier files open. The last file,
/// `stamp`, has the time when the build began.
///
/// Exit codes: 0 built · 1 failed · 3 waited for the build of another process
public class Build {

    /// The phase that compiles the program, and the goals of `package` that the program needs.
    private static final List<String> GOALS = List.of("process-classes",
            "dependency:copy-dependencies@libraries-beside-the-jar", "jar:jar@default-jar", "exec:exec@aot-caches");
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
    /// The space for the work and its result, beside an earlier build.
    private static final long SPACE_MB = 150;

    private final Path home;
    private final Path folder;
    private final Path work;
    private final Progress progress;

    private Build(Path home, Progress progress) {
        this.home = home;
        this.folder = home.resolve(".build");
        this.work = folder.resolve("maven-" + System.currentTimeMillis());
        this.progress = progress;
    }

    public static void main(String[] args) throws InterruptedException {
        Progress progress = new Progress(Integer.parseInt(args[1]));
        int code = 1;
        try {
            code = new Build(Path.of(args[0]), progress).lockAndRun();
        } catch (IOException | RuntimeException e) {
            progress.end(Reason.of(e));
        }
        System.exit(code);
    }

    private int lockAndRun() throws IOException, InterruptedException {
        // The kernel frees the lock, however this process ends.
        try (FileChannel file = open(); FileLock lock = file.tryLock()) {
            if (lock == null) {
                progress.step("waiting for another build of this checkout");
                file.lock();
                progress.clear();
                return WAITED;
            }
            return build();
        }
    }

    private FileChannel open() throws IOException {
        try {
            Files.createDirectories(folder.resolve("lib"));
            return FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new IOException("this checkout must be built, and its folder cannot be written; copy it to one that can: "
                    + Reason.of(e), e);
        }
    }

    private int build() throws IOException, InterruptedException {
        progress.step("building: starting Maven");
        deleteEarlierWork();
        long free = Reason.megabytes(folder);
        if (free < SPACE_MB) {
            throw new IOException("the build needs " + SPACE_MB + " MB in " + folder + ", where " + free + " MB are free");
        }
        Files.createDirectories(work);
        endFuture(Files.createFile(work.resolve("stamp")).toFile().lastModified());
        Path log = folder.resolve("build.log");
        Reason reason = new Reason(home);
        Process maven = start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (maven.isAlive()) {
                progress.end("the build was stopped; the next command begins it anew");
                End.of(maven.toHandle());
            }
        }));
        try (OutputStream guard = maven.getOutputStream(); BufferedReader lines = maven.inputReader();
                Writer whole = Files.newBufferedWriter(log)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                line = ESCAPE.matcher(line).replaceAll("");
                progress.read(line);
                reason.read(line);
                whole.write(line + "\n");
            }
            guard.write('\n');
        } catch (IOException e) {
            reason.read(e.getMessage());
        }
        int code = maven.waitFor();
        if (code == NOT_FOUND) {
            throw new IOException("this checkout must be built, and Maven (mvn) was not found; install Maven 3.8 or later:"
                    + " apt install maven, brew install maven, or sdk install maven");
        }
        if (code != 0) {
            progress.end("the build failed: " + reason.text(code), "the whole log: " + log);
            return 1;
        }
        publish();
        progress.built();
        return 0;
    }

    private Process start() throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", GUARD, home.resolve("src/build/End.java").toString(),
                "-B", "-V", "-U", "-Dstyle.color=never", "-f", home.resolve("pom.xml").toString(), "-Dquick",
                "-Dbuild.folder=" + home.relativize(work),
                // The Java that later runs the program must make the caches.
                "-Dtoolchain.jdk.comparator=current,lts,env,version,vendor"));
        command.addAll(GOALS);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().merge("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC " + Reason.NAMES_REPOSITORY,
                (users, own) -> own + " " + users + " -Dorg.slf4j.simpleLogger.showDateTime=false");
        return builder.start();
    }

    /// Moves each file in one step, so that the old or the new file is always complete.
    private void publish() throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> libraries = Files.list(work.resolve("lib"))) {
            libraries.forEach(files::add);
        }
        for (String name : List.of("petstore.jar", "petstore.aot", "commands.aot", "stamp")) {
            files.add(work.resolve(name));
        }
        for (Path file : files) {
            Files.move(file, folder.resolve(work.relativize(file)), StandardCopyOption.ATOMIC_MOVE);
        }
        delete(work);
    }

    /// Sets future times of sources, e.g. from a machine whose clock is ahead, to the present if this user may. Else every command would
    /// build until then. A later stamp would hide changes made meanwhile.
    private void endFuture(long present) throws IOException {
        for (String source : List.of("pom.xml", "openapi.yaml", "src/main", "src/aot")) {
            try (Stream<Path> files = Files.walk(home.resolve(source))) {
                files.map(Path::toFile).filter(file -> file.lastModified() > present)
                        .forEach(file -> file.setLastModified(present));
            }
        }
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
}
