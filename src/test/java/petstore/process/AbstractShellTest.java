package petstore.process;

import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.Shell;

/// A shell in a new folder for each test.
abstract class AbstractShellTest {

    @TempDir
    Path folder;
    Shell shell;

    @BeforeEach
    void openShell() {
        shell = new Shell(folder);
    }
}
