package petstore.app;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Files that are on disk before anything is said of them.
final class Durable {

    private Durable() {
    }

    /// Where a file is written until it is whole: beside it, under a name that no other process uses, and gone when this one
    /// ends.
    static Path partOf(Path file) {
        Path part = file.resolveSibling(file.getFileName() + "." + ProcessHandle.current().pid() + ".part");
        part.toFile().deleteOnExit();
        return part;
    }

    /// Waits until the content of a file is on disk.
    static void sync(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }
}
