package petstore.app;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import petstore.Failure;
import petstore.PrivateFiles;

/// What a process may do with a store's folder: serve it, which one does at a time; change what is in it, which many do beside each
/// other and beside the one that serves; or replace it, for which there must be nobody else. The operating system takes the right
/// back when the process ends, however it ends.
final class FolderLock implements AutoCloseable {

    private static final String FILE = "petstore.lock";
    /// The bytes of the file that are locked: by who serves, and by who changes.
    private static final long SERVING = 0;
    private static final long CHANGING = 1;

    private final FileChannel channel;

    private FolderLock(FileChannel channel) {
        this.channel = channel;
    }

    /// Takes the right to serve, making the folder when there is none. Errors: [Failure] when another process has it.
    static FolderLock serve(Path folder) {
        FolderLock lock = open(folder);
        if (!lock.tryServe()) {
            lock.close();
            throw inUse(folder, "; stop that one, or choose another folder with --data");
        }
        return lock;
    }

    /// Takes the right to change, making the folder when there is none. Errors: [Failure] when another process replaces the store.
    static FolderLock change(Path folder) {
        FolderLock lock = open(folder);
        if (!lock.tryLock(CHANGING, true)) {
            lock.close();
            throw inUse(folder, ", which replaces or moves it; try again when that has ended");
        }
        return lock;
    }

    /// Takes the right to replace, making the folder when there is none. Errors: [Failure] when another process serves or changes
    /// the store.
    static FolderLock replace(Path folder) {
        FolderLock lock = serve(folder);
        if (!lock.tryLock(CHANGING, false)) {
            lock.close();
            throw Failure.unavailable("another command changes the store in " + folder
                    + "; try again when that has ended");
        }
        return lock;
    }

    private static FolderLock open(Path folder) {
        try {
            PrivateFiles.createFolder(folder);
            return new FolderLock(PrivateFiles.open(folder.resolve(FILE), StandardOpenOption.CREATE));
        } catch (IOException e) {
            throw Failure.unavailable("the store's folder " + folder + " (--data) cannot be written", e);
        }
    }

    /// Takes the right to serve beside the one that it is; false when another process has it.
    boolean tryServe() {
        if (!tryLock(SERVING, false)) {
            return false;
        }
        try {
            channel.truncate(0);
            channel.write(
                    ByteBuffer.wrap(String.valueOf(ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            // A full disk has no room for the number, which is for people: the lock holds without it.
        }
        return true;
    }

    private boolean tryLock(long position, boolean shared) {
        try {
            return channel.tryLock(position, 1, shared) != null;
        } catch (OverlappingFileLockException e) {
            return false;
        } catch (IOException e) {
            throw cannotLock(e);
        }
    }

    private static Failure cannotLock(IOException e) {
        return Failure.unavailable("the file " + FILE + " in the store's folder (--data) cannot be locked", e);
    }

    private static Failure inUse(Path folder, String advice) {
        return Failure.unavailable("the store in " + folder + " is in use" + owner(folder) + advice);
    }

    private static String owner(Path folder) {
        try {
            String process = Files.readString(folder.resolve(FILE));
            return process.isEmpty() ? "" : " by process " + process;
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new IllegalStateException("a lock cannot be given back", e);
        }
    }
}
