package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import petstore.testkit.PetstoreProcess.Ending;

/// Command lines as people type them into bash, in a folder of their own, with `petstore` on the path.
///
/// @param folder where they are typed; the store is in `data` below it
public record Shell(Path folder) {

    private static final Path HOME = Path.of("target").toAbsolutePath();
    private static final String PATIENCE_SECONDS = "120";
    private static final String JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    /// The folder of the store.
    public Path data() {
        return folder.resolve("data");
    }

    /// The line of a command that makes a new store, and of one that does without.
    public static final String NEW_STORE = "created a new store in ";
    static final String NO_STORE = "; the file is checked against an empty one";

    /// The duration in a summary.
    static final String TOOK = "^((?:Imported|Exported|Backed up|Restored|Moved|Checked).*?) in [0-9]+\\.[0-9] s";

    /// Runs a script to its end, and leaves out [#NEW_STORE], [#NO_STORE] and [#TOOK], which `CommandsIT` looks at.
    public Ending run(String script) {
        Ending whole = runWhole(script);
        return new Ending(whole.code(), whole.out(),
                whole.err().stream().filter(line -> !line.contains(NEW_STORE) && !line.endsWith(NO_STORE))
                        .map(line -> line.replaceFirst(TOOK, "$1")).toList());
    }

    /// Runs a script to its end.
    public Ending runWhole(String script) {
        ProcessBuilder builder = new ProcessBuilder("timeout", PATIENCE_SECONDS, "bash", "-c", script)
                .directory(folder.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("PETSTORE_"));
        builder.environment().put("PETSTORE_JAVA_OPTIONS", JAVA_OPTIONS);
        builder.environment().merge("PATH", HOME.toString(), (path, home) -> home + ":" + path);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            CompletableFuture<List<String>> err = CompletableFuture
                    .supplyAsync(() -> process.errorReader(StandardCharsets.UTF_8).lines().toList());
            List<String> out = process.inputReader(StandardCharsets.UTF_8).lines().toList();
            process.waitFor(1, TimeUnit.MINUTES);
            return new Ending(process.exitValue(), out, err.join());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
