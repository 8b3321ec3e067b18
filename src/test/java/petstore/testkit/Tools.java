package petstore.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Programs of the machine, other than a JDK and the usual ones of a shell. Without them some tests are left out.
public final class Tools {

    private Tools() {
    }

    /// Returns true if a program of this name is on the path.
    public static boolean have(String name) {
        return Stream.of(System.getenv("PATH").split(":", 0))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }
}
