package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

import petstore.CommandFailure;

/// The record of the files that a store had when it was opened last, in the file of its lock. So a start notices that the database or its
/// log was replaced while no process ran.
///
/// @param folder the store's folder
record FileRecord(Path folder, FolderLock lock) {

    private static final String BACKUP = "backup";
    private static final String STORE = "store";
    private static final String GONE = "gone";

    /// Records which files the store has, once they are open and before they are changed.
    void write() throws IOException {
        lock.writeFiles(identities());
    }

    /// Records that a backup which was copied here is a store, after its mark was removed. The file keeps the mark while another process
    /// reads it.
    void writeStore() throws IOException {
        String record = lock.readFiles();
        if (record.endsWith(BACKUP) && !BackupChecksum.isMarked(SqliteFile.in(folder))) {
            lock.writeFiles(record.substring(0, record.length() - BACKUP.length()) + STORE);
        }
    }

    /// Returns the numbers of the lock's file, the database and its log in their file system, each with the time of its creation, because
    /// numbers are used again; and whether the database is a backup that was copied here. Java returns the time of the last change if the
    /// file system does not know that of the creation.
    private String identities() throws IOException {
        Path database = SqliteFile.in(folder);
        Path lockFile = folder.resolve(StoreFiles.LOCK);
        BasicFileAttributes times = Files.readAttributes(lockFile, BasicFileAttributes.class);
        boolean areKnown = times.creationTime().compareTo(times.lastModifiedTime()) < 0;
        StringBuilder identities = new StringBuilder();
        for (Path file : List.of(lockFile, database, SqliteFile.log(database))) {
            identities.append(Files.getAttribute(file, "unix:ino"))
                    .append(areKnown ? "@" + Files.getAttribute(file, "creationTime") : "").append(' ');
        }
        return identities.append(BackupChecksum.isMarked(database) ? BACKUP : STORE).toString();
    }

    /// Throws [CommandFailure] unless [#isOfOneStore].
    void requireOneStore() {
        if (!isOfOneStore()) {
            Path database = SqliteFile.in(folder);
            Path log = SqliteFile.log(database);
            throw new CommandFailure(database + " or " + log + " was replaced while the log had changes; if "
                    + database + " was put there on purpose, move the log away; if both are of the same moment, delete "
                    + folder.resolve(StoreFiles.LOCK));
        }
    }

    /// Returns false if SQLite would apply the log of a killed process to another database. The log has changes then, and the database is a
    /// backup, or either of both is not the file that was recorded. If both are others, or the lock's file is, the whole folder may be a
    /// copy.
    boolean isOfOneStore() {
        Path database = SqliteFile.in(folder);
        String before = "";
        while (StoreFiles.hasContent(SqliteFile.log(database)) && StoreFiles.hasContent(database)) {
            try {
                boolean isBackup = BackupChecksum.isMarked(database);
                String record = lock.readFiles();
                String found = record.split(" ", 4).length < 4 ? "" : identities();
                if (areOneStore(record.split(" ", 4), found.split(" ", 4), isBackup)) {
                    return true;
                }
                // Meanwhile another command may have ended, whose log is deleted, and the next one may have a new log.
                if (before.equals(record + found)) {
                    return false;
                }
                before = record + found;
            } catch (NoSuchFileException e) {
                // Once, another command may have ended, whose log is deleted. Twice, the lock is gone.
                if (before.equals(GONE)) {
                    throw StoreFiles.unreadable(folder, e);
                }
                before = GONE;
            } catch (IOException e) {
                throw StoreFiles.unreadable(folder, e);
            }
        }
        return true;
    }

    private static boolean areOneStore(String[] recorded, String[] found, boolean isBackup) {
        if (recorded.length < 4 || (isBackup && !recorded[3].equals(BACKUP))) {
            return !isBackup;
        }
        boolean isCopiedFolder = !isSame(recorded[0], found[0]);
        return isCopiedFolder || isSame(recorded[1], found[1]) == isSame(recorded[2], found[2]);
    }

    /// Compares without the times of creation if one is unknown.
    private static boolean isSame(String recorded, String found) {
        boolean areKnown = recorded.contains("@") && found.contains("@");
        return areKnown
                ? recorded.equals(found)
                : recorded.split("@", 2)[0].equals(found.split("@", 2)[0]);
    }
}
