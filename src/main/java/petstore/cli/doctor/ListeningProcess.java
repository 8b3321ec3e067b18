package petstore.cli.doctor;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A process that listens on a TCP port, found in Linux's `/proc`. Other users' processes are not visible there.
record ListeningProcess(String id, String name) {

    private static final Path PROC = Path.of("/proc");
    private static final String LISTENING = "0A";
    private static final int LOCAL_ADDRESS = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;

    /// Returns the process that listens on a port of any address; absent if it cannot be seen.
    static Optional<ListeningProcess> find(int port) {
        Set<String> sockets = Stream.of("net/tcp", "net/tcp6").flatMap(table -> lines(PROC.resolve(table)))
                .map(line -> List.of(line.strip().split("\\s+", -1)))
                .filter(row -> row.size() > INODE && row.get(STATE).equals(LISTENING)
                        && row.get(LOCAL_ADDRESS).endsWith(":%04X".formatted(port)))
                .map(row -> "socket:[" + row.get(INODE) + "]").collect(Collectors.toSet());
        return list(PROC).filter(folder -> folder.getFileName().toString().matches("[0-9]+"))
                .filter(folder -> list(folder.resolve("fd")).anyMatch(file -> sockets.contains(target(file))))
                .findFirst().map(folder -> new ListeningProcess(folder.getFileName().toString(),
                        lines(folder.resolve("comm")).findFirst().orElse("unknown")));
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    private static Stream<Path> list(Path folder) {
        return Stream.ofNullable(folder.toFile().listFiles()).flatMap(Stream::of).map(File::toPath);
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
