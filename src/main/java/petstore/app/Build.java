package petstore.app;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.util.Optional;
import java.util.jar.Attributes;

/// The build of the running program, from the manifest of its jar.
///
/// @param version e.g. `1.0.0`; absent without a jar
/// @param commit the commit that was built; absent if the build did not know it
public record Build(Optional<String> version, Optional<String> commit) {

    public static Build running() {
        URL own = Build.class.getResource("Build.class");
        try {
            if (own != null && own.openConnection() instanceof JarURLConnection jar) {
                Attributes manifest = jar.getMainAttributes();
                return new Build(Optional.ofNullable(manifest.getValue("Implementation-Version")),
                        Optional.ofNullable(manifest.getValue("Implementation-Build")));
            }
        } catch (IOException e) {
            // The build stays unknown: only messages need it.
        }
        return new Build(Optional.empty(), Optional.empty());
    }

    /// Returns the version and the commit, e.g. `1.0.0 (commit 1a2b3c4)`.
    @Override
    public String toString() {
        return version.orElse("(not packaged)") + commit.map(id -> " (commit " + id + ")").orElse("");
    }
}
