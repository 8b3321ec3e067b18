package petstore.store.sqlite;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import petstore.Failure;
import petstore.files.PrivateFiles;

/// What a process may do with a store's folder: serve it, which one does at a time; change what is in it, which many do beside each
/// other and beside the one that serves; or replace it, for which there must be nobody else. The operating system takes the right
/// back when the process ends, however it ends.
public final class FolderLock implements AutoCloseable {

    private static final int MAX_PROCESS_DIGITS = 20;
    /// The bytes of the file that are locked: by who serves, and by who changes.
    private static final long SERVING = 0;
    private static final long CHANGING = 1;

    private final FileChannel channel;

    private FolderLock(FileChannel channel) {
        this.channel = channel;
    }

    /// Takes the right to serve, making the folder when there is none. Errors: [Failure] when another process has it.
    public static FolderLock serve(Path folder) {
        FolderLock lock = open(folder);
        if (!lock.tryServe()) {
            throw lock.inUse(folder, "; stop that one, or choose another folder with --data");
        }
        return lock.repair(folder);
    }

    /// Takes the right to change, making the folder when there is none. Errors: [Failure] when another process replaces the store.
    public static FolderLock change(Path folder) {
        FolderLock lock = open(folder);
        if (!lock.tryLock(CHANGING, true)) {
            throw lock.inUse(folder, ", which replaces or moves it; try again when that has ended");
        }
        return lock.repair(folder);
    }

    /// Takes the right to replace, making the folder when there is none. Errors: [Failure] when another process serves or changes
    /// the store.
    public static FolderLock replace(Path folder) {
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
            StoreFiles.inspect(folder);
            StoreFiles.requireWritable(folder);
            return new FolderLock(PrivateFiles.openForFolder(folder.resolve(StoreFiles.LOCK)));
        } catch (IOException e) {
            throw Failure.unavailable("the store's folder " + folder + " (--data) cannot be written", e);
        }
    }

    /// Repairs the store after a `restore` that was killed; none runs while this process has a lock.
    private FolderLock repair(Path folder) {
        try {
            ReplacedStore.repair(folder);
            return this;
        } catch (Failure e) {
            close();
            throw e;
        }
    }

    /// Takes the right to serve beside the one that it is; false when another process has it.
    public boolean tryServe() {
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
        return Failure.unavailable("the file " + StoreFiles.LOCK + " in the store's folder (--data) cannot be locked",
                e);
    }

    /// Closes this lock, and returns the failure that names the process which has the other one.
    private Failure inUse(Path folder, String advice) {
        try (this) {
            return Failure.unavailable("the store in " + folder + " is in use" + owner() + advice);
        }
    }

    private String owner() {
        try {
            ByteBuffer process = ByteBuffer.allocate(MAX_PROCESS_DIGITS);
            channel.read(process, 0);
            String text = StandardCharsets.UTF_8.decode(process.flip()).toString();
            return text.isEmpty() ? "" : " by process " + text;
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
