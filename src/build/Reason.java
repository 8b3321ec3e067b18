import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The reason of a failed build in one line, found in Maven's log.
final class Reason {

    private static final Pattern OLD = Pattern.compile("Apache Maven ([0-2]\\.\\S+|3\\.[0-7]\\.\\S+).*");
    private static final Pattern FULL = Pattern.compile(".*(No space left on device|Disk quota exceeded).*");
    private static final Pattern FETCH = Pattern
            .compile("\\[(?:ERROR|FATAL)\\].*?((?:Could not (?:transfer|find) artifact|Cannot access) .*?)(?: -> .*| @ .*)?");
    private static final Pattern COMPILE = Pattern.compile("\\[ERROR\\] (/\\S+\\.java):\\[([0-9]+),[0-9]+\\] (.*)");
    private static final Pattern ERROR = Pattern.compile("\\[(?:ERROR|FATAL)\\] (.+?)(?: -> .*)?");

    private final Path home;
    private String text = "Maven ended early";
    private int rank;

    Reason(Path home) {
        this.home = home;
    }

    /// Takes a line of the log. Of several reasons the first of the highest rank counts: a full disk has many consequences.
    void read(String line) {
        Matcher matcher = OLD.matcher(line);
        if (matcher.matches()) {
            set(5, "Maven " + matcher.group(1) + " is too old; install 3.8 or later");
        } else if (FULL.matcher(line).matches()) {
            set(4, "no space is left on a disk; free: " + space());
        } else if ((matcher = FETCH.matcher(line)).matches()) {
            set(3, "check the network, and the proxy in Maven's settings.xml: " + matcher.group(1));
        } else if ((matcher = COMPILE.matcher(line)).matches()) {
            set(2, home.relativize(Path.of(matcher.group(1))) + ":" + matcher.group(2) + ": " + matcher.group(3));
        } else if ((matcher = ERROR.matcher(line)).matches()) {
            set(1, matcher.group(1));
        }
    }

    private void set(int found, String reason) {
        if (found > rank) {
            rank = found;
            text = reason;
        }
    }

    /// The usual disks that a build writes to.
    private String space() {
        return Stream.of(home, Path.of(System.getProperty("user.home")), Path.of(System.getProperty("java.io.tmpdir")))
                .distinct().map(folder -> megabytes(folder) + " MB in " + folder).collect(Collectors.joining(", "));
    }

    /// Returns the free space in the file system of a folder.
    static long megabytes(Path folder) {
        try {
            return Files.getFileStore(folder).getUsableSpace() / 1_000_000;
        } catch (IOException e) {
            return 0;
        }
    }

    /// Returns an exception's message; those of files name the file alone.
    static String of(IOException e) {
        String reason = e instanceof AccessDeniedException ? "permission denied"
                : e instanceof FileSystemException file ? file.getReason() : null;
        return reason == null ? String.valueOf(e.getMessage()) : ((FileSystemException) e).getFile() + ": " + reason;
    }

    @Override
    public String toString() {
        return text;
    }
}
