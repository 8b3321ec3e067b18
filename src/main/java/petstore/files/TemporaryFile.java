package petstore.files;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

import petstore.CommandFailure;

/// A file in the folder for temporary files. It is deleted when it is closed or the process ends.
///
/// Errors: [CommandFailure] that names the folder, if the file cannot be created or written.
public final class TemporaryFile extends OutputStream {

    private final Path path;
    private final OutputStream out;

    public TemporaryFile(String prefix) {
        try {
            path = Files.createTempFile(prefix, "");
            path.toFile().deleteOnExit();
            out = Files.newOutputStream(path);
        } catch (IOException e) {
            throw CommandFailure.temporaryFolder(e);
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void write(int oneByte) {
        write(new byte[]{(byte) oneByte}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            throw CommandFailure.temporaryFolder(e);
        }
    }

    @Override
    public void close() throws IOException {
        try (out) {
            Files.delete(path);
        }
    }
}
