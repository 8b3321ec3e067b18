package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import petstore.Closer;
import petstore.CommandFailure;
import petstore.files.AtomicFile;
import petstore.files.PrivateFiles;
import petstore.store.Migrations;
import petstore.store.Outage;
import petstore.store.SchemaPolicy;
import petstore.store.Session;

/// The open sessions of a SQLite store.
///
/// Errors of opening: [CommandFailure] for a folder that cannot be written, a file that is not a store, a refused schema, or a
/// durability setting that SQLite ignores.
///
/// @param all one for writes, one for unqueued reads, and one for each thread of queued reads; a command has one for all
/// @param fullDisk lasts until the file holds everything that the log held at the start, as [SqliteWriter#settleUnlessFull]
/// @param readOnly verifies the results of reads; absent if the sessions lock the file
record SqliteSessions(List<Session> all, Outage fullDisk, Optional<ReadOnlyStore> readOnly)
        implements
            AutoCloseable {

    /// Opens the store in `folder` for a command. It need not be writable if the command only reads.
    static SqliteSessions forCommand(Path folder, SchemaPolicy migrate, boolean toWrite) {
        Path file = SqliteFile.in(folder);
        Optional<ReadOnlyStore> readOnly = toWrite ? Optional.empty() : ReadOnlyStore.find(file);
        if (readOnly.isEmpty()) {
            return open(folder, migrate, 0);
        }
        try (Closer opened = new Closer()) {
            Session session = opened.add(SqliteFile.connectUnlocked(file));
            // Checked, not upgraded.
            Migrations.arePending(SchemaPolicy.CHECK, Migrations.Scripts.SQLITE, session);
            opened.handOver();
            return new SqliteSessions(List.of(session), SqliteWriter.fullDisk(), readOnly);
        } catch (SQLException e) {
            throw SqliteFile.cannotBe("opened", file, e);
        }
    }

    /// Opens the store in `folder`, and creates both if they are missing.
    ///
    /// @param more the number of sessions for reads
    static SqliteSessions open(Path folder, SchemaPolicy migrate, int more) {
        Path file = SqliteFile.in(folder);
        if (!SqliteFile.exists(folder)) {
            try {
                PrivateFiles.createFolder(folder);
                // SQLite gives its companions the same owner and permissions.
                PrivateFiles.createForFolder(file);
            } catch (FileAlreadyExistsException e) {
                // Another process has created it meanwhile.
            } catch (IOException e) {
                throw CommandFailure.of("the store's folder " + folder + " cannot be written", e);
            }
        }
        StoreFiles.requireWritable(folder);
        return SqliteFile.open(file, path -> openOnce(path, migrate, more));
    }

    private static SqliteSessions openOnce(Path file, SchemaPolicy migrate, int more) throws SQLException {
        List<Session> sessions = new ArrayList<>();
        try (Closer opened = new Closer()) {
            Session writer = opened.add(SqliteFile.connectWriter(file));
            sessions.add(writer);
            if (Migrations.arePending(migrate, Migrations.Scripts.SQLITE, writer)) {
                SqliteWriter.inTransaction(writer, session -> {
                    BackupChecksum.remove(session);
                    return Migrations.run(session, Migrations.Scripts.SQLITE, Migrations.LATEST);
                });
            }
            Outage fullDisk = SqliteWriter.settleUnlessFull(writer);
            try {
                // SQLite ignores errors when it syncs the names of its files.
                AtomicFile.syncNames(file.resolveSibling("."));
            } catch (IOException e) {
                throw CommandFailure.of("the store cannot be opened", e);
            }
            for (int i = 0; i < more; i++) {
                sessions.add(opened.add(SqliteFile.connectReader(file)));
            }
            opened.handOver();
            return new SqliteSessions(List.copyOf(sessions), fullDisk, Optional.empty());
        }
    }

    Session writer() {
        return all.getFirst();
    }

    /// Returns false for a command.
    boolean areServed() {
        return all.size() > 1;
    }

    Session unqueued() {
        return all.get(Math.min(1, all.size() - 1));
    }

    List<Session> queued() {
        return all.size() == 1 ? all : all.subList(2, all.size());
    }

    /// Closes all sessions, the writer last, because only the last connection moves the log into the file.
    @Override
    public void close() {
        new Closer(all).close();
    }
}
