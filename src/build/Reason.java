import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The reason of a failed build as one line, from Maven's log.
final class Reason {

    /// Makes Maven log its repository, which the command line, variables and three files may set.
    static final String NAMES_REPOSITORY = "-Dorg.slf4j.simpleLogger.log.org.eclipse.aether.internal.impl"
            + ".DefaultLocalRepositoryProvider=debug";

    private static final Pattern OLD = Pattern.compile("Apache Maven ([0-2]\\.\\S+|3\\.[0-7]\\.\\S+).*");
    private static final Pattern FULL = Pattern.compile(".*(No space left on device|Disk quota exceeded).*");
    private static final Pattern FETCH = Pattern
            .compile("\\[(?:ERROR|FATAL)\\].*?((?:Could not (?:transfer|find) artifact|Cannot access) .*?)(?: -> .*| @ .*)?");
    private static final Pattern COMPILE = Pattern.compile("\\[ERROR\\] (/.+?\\.java):\\[([0-9]+),[0-9]+\\] (.*)");
    private static final Pattern REPOSITORY = Pattern.compile("\\[DEBUG\\] Using manager .* for (/.*)");
    private static final Pattern NO_REPOSITORY = Pattern
            .compile("\\[ERROR\\] Could not create local repository at (.+?)(?: -> .*)?");
    private static final Pattern FATAL = Pattern.compile("\\[FATAL\\] (.+?)(?: -> .*)?");
    /// Does not match lines such as `COMPILATION ERROR :`, which announce other lines.
    private static final Pattern ERROR = Pattern.compile("\\[ERROR\\] +(\\S.*?)(?: -> .*)?(?<!: ?)");
    /// Messages of a Java that does not start.
    private static final Pattern JAVA = Pattern.compile("(?:Error: |Unrecognized ).*");

    private final Path home;
    private Path repository = Path.of(System.getProperty("user.home"), ".m2", "repository").toAbsolutePath();
    private String text = "";
    private String last = "";
    private int rank;

    Reason(Path home) {
        this.home = home;
    }

    /// Reads a line of the log. The first reason of the highest rank counts, because a full disk has many consequences.
    void read(String line) {
        Matcher matcher = OLD.matcher(line);
        if (matcher.matches()) {
            set(7, "Maven " + matcher.group(1) + " is too old; install 3.8 or later");
        } else if ((matcher = REPOSITORY.matcher(line)).matches()) {
            repository = Path.of(matcher.group(1));
        } else if (FULL.matcher(line).matches()) {
            set(6, "no space is left on a disk; free: " + space());
        } else if ((matcher = NO_REPOSITORY.matcher(line)).matches()) {
            set(5, unwritable(matcher.group(1)));
        } else if ((matcher = FETCH.matcher(line)).matches()) {
            if (matcher.group(1).contains(": " + repository)) {
                set(5, unwritable(repository.toString()));
            }
            set(4, "check the network, and the proxy in Maven's settings.xml: " + matcher.group(1));
        } else if ((matcher = COMPILE.matcher(line)).matches()) {
            set(3, home.relativize(Path.of(matcher.group(1))) + ":" + matcher.group(2) + ": " + matcher.group(3));
        } else if ((matcher = FATAL.matcher(line)).matches()) {
            set(3, matcher.group(1));
        } else if ((matcher = ERROR.matcher(line)).matches()) {
            set(2, matcher.group(1));
        } else if (JAVA.matcher(line).matches()) {
            // The line before has the reason.
            set(1, line.endsWith(" Java Virtual Machine.") ? last : line);
        }
        last = line.isBlank() ? last : line.strip();
    }

    private static String unwritable(String folder) {
        return "Maven's repository " + folder + " cannot be written; set another in MAVEN_OPTS: -Dmaven.repo.local=FOLDER";
    }

    private void set(int found, String reason) {
        if (found > rank) {
            rank = found;
            text = reason;
        }
    }

    /// Returns the free space of the disks that a build writes to, each once.
    private String space() {
        Map<FileStore, String> disks = new LinkedHashMap<>();
        for (Path folder : List.of(home, repository, Path.of(System.getProperty("java.io.tmpdir")))) {
            try {
                disks.putIfAbsent(Files.getFileStore(folder), megabytes(folder) + " MB in " + folder);
            } catch (IOException e) {
                // A missing folder takes no space.
            }
        }
        return String.join(", ", disks.values());
    }

    /// Returns the free space in the file system of a folder.
    static long megabytes(Path folder) {
        try {
            return Files.getFileStore(folder).getUsableSpace() / 1_000_000;
        } catch (IOException e) {
            return 0;
        }
    }

    /// Returns the message of an exception. For an error of the file system, it is the file and the reason.
    static String of(Exception e) {
        if (e instanceof UncheckedIOException unchecked) {
            return of(unchecked.getCause());
        }
        if (!(e instanceof IOException)) {
            return "the launcher failed: " + e;
        }
        String reason = e instanceof AccessDeniedException ? "permission denied"
                : e instanceof FileSystemException file ? file.getReason() : null;
        return reason == null ? String.valueOf(e.getMessage()) : ((FileSystemException) e).getFile() + ": " + reason;
    }

    /// Returns the reason. If the log has no error, it is the exit code, and a message of Java or the last line.
    String text(int code) {
        return rank > 1 ? text : "Maven ended with exit code " + code + ": " + (rank == 1 ? text : last);
    }
}
