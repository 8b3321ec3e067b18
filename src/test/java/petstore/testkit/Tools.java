package petstore.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assumptions.assumeThat;

/// Optional programs, other than a JDK and the usual tools of a shell. A test is skipped if its program is not installed.
public final class Tools {

    private Tools() {
    }

    /// Returns true if a program with this name is on the PATH.
    public static boolean isInstalled(String name) {
        return Stream.of(System.getenv("PATH").split(":", 0))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }

    /// Returns a command that runs another one as this user. The test is skipped if that is not possible, or if the user may not read
    /// the program, because of the umask of the build or the folder of the checkout.
    public static List<String> asUser(int user) {
        assumeThat(isInstalled("setpriv") && "root".equals(System.getProperty("user.name")))
                .as("root can run commands as another user").isTrue();
        List<String> starter = List.of("setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups");
        assumeThat(PetstoreProcess.succeeds(starter, "ls", PetstoreProcess.LAUNCHER.resolveSibling("lib").toString()))
                .as("other users can read the program").isTrue();
        return starter;
    }
}
