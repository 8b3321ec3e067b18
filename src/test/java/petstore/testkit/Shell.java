package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import petstore.testkit.PetstoreProcess.Ending;

/// A bash shell in its own folder, with `petstore` on the PATH, for commands as people type them.
///
/// @param folder the working directory; the store is in its subfolder `data`
public record Shell(Path folder) {

    private static final Path HOME = Path.of("target").toAbsolutePath();
    private static final String PATIENCE_SECONDS = "120";
    private static final String JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    /// Returns the folder of the store.
    public Path data() {
        return folder.resolve("data");
    }

    /// Part of the line on stderr of a command that creates a store.
    public static final String NEW_STORE = "created a new store in ";

    /// The end of the line on stderr of a command that works without a store.
    static final String NO_STORE = "; the file is checked against an empty one";

    /// A pattern for the summary of a command with its duration. Group 1 is the summary without the duration.
    static final String TOOK = "^((?:Imported|Exported|Backed up|Restored|Moved|Checked).*?) in [0-9]+\\.[0-9] s";

    /// Runs a script and waits until it ends. Removes [#NEW_STORE], [#NO_STORE] and the duration ([#TOOK]) from stderr; `CommandsIT`
    /// tests them.
    public Ending run(String script) {
        return filtered(runUnfiltered(script));
    }

    private static Ending filtered(Ending whole) {
        return new Ending(whole.code(), whole.out(),
                whole.err().stream().filter(line -> !line.contains(NEW_STORE) && !line.endsWith(NO_STORE))
                        .map(line -> line.replaceFirst(TOOK, "$1")).toList());
    }

    /// Runs `petstore` with these words in the process of the tests, which takes a tenth of the time. For tests of commands, not of
    /// their process. `./` is the folder of this shell, and the store is in `./data` unless the words name another. The output is
    /// filtered as for [#run].
    public Ending petstore(String words) {
        return petstore(Map.of(), words);
    }

    /// Runs `petstore` in the process of the tests, with these environment variables.
    public Ending petstore(Map<String, String> environment, String words) {
        String here = folder + "/";
        Map<String, String> all = new HashMap<>(environment);
        all.putIfAbsent("PETSTORE_DATA", here + "data");
        Ending whole = CommandLines.ending(all, Stream.of(words.split(" ", 0))
                .map(word -> word.startsWith("./") ? here + word.substring(2) : word).toArray(String[]::new));
        return filtered(new Ending(whole.code(), whole.out(),
                whole.err().stream().map(line -> line.replace(here, "./")).toList()));
    }

    /// Runs a script and waits until it ends. The output is unchanged.
    public Ending runUnfiltered(String script) {
        ProcessBuilder builder = Programs.builder(List.of("timeout", PATIENCE_SECONDS, "bash", "-c", script))
                .directory(folder.toFile());
        builder.environment().put("PETSTORE_JAVA_OPTIONS", JAVA_OPTIONS);
        builder.environment().merge("PATH", HOME.toString(), (path, home) -> home + ":" + path);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            CompletableFuture<List<String>> err = CompletableFuture
                    .supplyAsync(() -> process.errorReader(StandardCharsets.UTF_8).lines().toList(),
                            Thread::startVirtualThread);
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
