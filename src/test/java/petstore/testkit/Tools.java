package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
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

    /// Returns the path of a program, which may be one for administrators; absent if it is not installed.
    public static Optional<String> daemon(String name) {
        return Stream.concat(Stream.of(System.getenv("PATH").split(":", 0)), Stream.of("/usr/sbin", "/usr/local/sbin"))
                .map(folder -> Path.of(folder, name)).filter(Files::isExecutable).map(Path::toString).findFirst();
    }

    /// Returns a library for LD_PRELOAD, compiled from a file of C; absent without Linux and a C compiler. It is replaced atomically:
    /// programs started by parallel test processes may be using it.
    static Optional<Path> library(Path source) {
        if (!System.getProperty("os.name").equals("Linux") || !isInstalled("cc")) {
            return Optional.empty();
        }
        try {
            Path library = Path.of("target").toAbsolutePath()
                    .resolve(source.getFileName().toString().replace(".c", ".so"));
            Path compiled = Files.createTempFile(library.getParent(), "library", ".so");
            int code = new ProcessBuilder("cc", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-o",
                    compiled.toString(), source.toString(), "-ldl").redirectError(Redirect.INHERIT).start().waitFor();
            if (code != 0) {
                throw new AssertionError(source + " cannot be compiled");
            }
            // Programs of other users load it, too.
            Files.setPosixFilePermissions(compiled, PosixFilePermissions.fromString("rwxr-xr-x"));
            return Optional.of(Files.move(compiled, library, StandardCopyOption.ATOMIC_MOVE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
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
