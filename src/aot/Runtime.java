import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/// Copies the service to a folder, with a Java runtime that has only the modules it needs.
///
/// Usage: `java Runtime.java BUILD FOLDER TIME`. BUILD has `petstore.jar` and `lib`. TIME is the time of the archive's files. The launcher
/// uses an ahead-of-time cache only with a jar of its time, and Java after 25.0.3 only with the jar's time when the cache was made.
public class Runtime {

    /// The modules that `jdeps --print-module-deps` prints, and modules that it cannot find: for host names and logins of PostgreSQL, for
    /// security, and for agents, JMX and debuggers that an operator adds. java.desktop and java.compiler are left out, because only unused
    /// parts of the libraries need them.
    private static final List<String> MODULES = List.of("java.instrument", "java.logging", "java.management", "java.naming",
            "java.net.http", "java.security.jgss", "java.security.sasl", "java.sql", "jdk.crypto.ec", "jdk.jdwp.agent", "jdk.jfr",
            "jdk.management", "jdk.management.agent", "jdk.naming.dns", "jdk.unsupported");

    public static void main(String[] args) throws IOException {
        Path build = Path.of(args[0]);
        Path folder = Path.of(args[1]);
        FileTime time = FileTime.from(Instant.parse(args[2]));
        if (Files.exists(folder)) {
            delete(folder);
        }
        Files.createDirectories(folder.resolve("lib"));
        copy(build.resolve("petstore.jar"), folder.resolve("petstore.jar"), time);
        try (Stream<Path> libraries = Files.list(build.resolve("lib"))) {
            for (Path library : libraries.toList()) {
                copy(library, folder.resolve("lib").resolve(library.getFileName()), time);
            }
        }
        // Whether jlink strips the classes that this plugin makes depends on hash codes of objects. So it would not repeat a build.
        int code = ToolProvider.findFirst("jlink").orElseThrow().run(System.out, System.err,
                "--add-modules", String.join(",", MODULES), "--strip-java-debug-attributes", "--no-man-pages", "--no-header-files",
                "--compress", "zip-6", "--disable-plugin", "generate-jli-classes", "--output", folder.resolve("runtime").toString());
        if (code != 0) {
            System.exit(code);
        }
        Files.setLastModifiedTime(folder.resolve("runtime/lib/modules"), time);
    }

    private static void copy(Path from, Path to, FileTime time) throws IOException {
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
        Files.setLastModifiedTime(to, time);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
