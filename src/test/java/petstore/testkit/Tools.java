package petstore.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// The programs of the machine, beside a JDK and the usual ones of a shell, that some tests are left out without.
public final class Tools {

    private Tools() {
    }

    /// Whether there is a program of this name on the path.
    public static boolean have(String name) {
        return Stream.of(System.getenv("PATH").split(":", 0))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }
}
