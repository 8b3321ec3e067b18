package petstore.store.sqlite;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Optional;

import petstore.CommandFailure;

/// The file of a store that this process may read but not write, e.g. on a read-only mount.
///
/// SQLite locks a file with companion files, which cannot be created here. So the file is read without locks, and a result is valid
/// only if the file did not change meanwhile.
final class ReadOnlyStore {

    /// The offset of the change counter in SQLite's header.
    private static final int CHANGES_AT = 24;
    private static final int CHANGES_BYTES = 4;

    private record State(long bytes, FileTime changed, ByteBuffer changes) {
    }

    private final Path file;
    private final State before;

    /// Reads the state of a store. Errors: [CommandFailure] if its log has changes, or if it cannot be read.
    ReadOnlyStore(Path file) {
        this.file = file;
        this.before = state(file);
    }

    /// Returns the store; absent if this process may write it, or it does not exist. Errors: as for the constructor.
    static Optional<ReadOnlyStore> find(Path file) {
        boolean writable = Files.isWritable(file) && Files.isWritable(file.resolveSibling("."));
        return Files.notExists(file) || writable ? Optional.empty() : Optional.of(new ReadOnlyStore(file));
    }

    private static State state(Path file) {
        StoreFiles.findLog(file).ifPresent(log -> {
            throw new CommandFailure("the store " + file + " cannot be read without write access, because " + log
                    + " has changes; stop the server, or copy both files to another folder");
        });
        ByteBuffer changes = ByteBuffer.allocate(CHANGES_BYTES);
        try (FileChannel channel = FileChannel.open(file)) {
            channel.read(changes, CHANGES_AT);
            return new State(Files.size(file), Files.getLastModifiedTime(file), changes.flip());
        } catch (IOException e) {
            throw CommandFailure.of("the store " + file + " cannot be read", e);
        }
    }

    void requireUnchanged() {
        if (!state(file).equals(before)) {
            throw new CommandFailure("the store " + file
                    + " was changed while it was read without locks, because it cannot be written; try again");
        }
    }
}
