package petstore.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Optional programs, other than a JDK and the usual tools of a shell. A test is skipped if its program is not installed.
public final class Tools {

    private Tools() {
    }

    /// Returns true if a program with this name is on the PATH.
    public static boolean isInstalled(String name) {
        return Stream.of(System.getenv("PATH").split(":", 0))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }
}
