package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
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
/// @param files the files of sessions that may write; null for a command that only reads
/// @param fullDisk lasts until the file holds everything that the log held at the start, as [SqliteWriter#settleUnlessFull]
record SqliteSessions(List<Session> all, @Nullable OpenFiles files, Outage fullDisk) implements AutoCloseable {

    /// Opens the store in `folder`, which the caller has locked, for a command that only reads.
    static SqliteSessions toRead(Path folder) {
        return SqliteFile.open(SqliteFile.in(folder), file -> {
            try (Closer opened = new Closer()) {
                Session session = opened.add(SqliteFile.connectReader(file));
                Migrations.SQLITE.arePending(SchemaPolicy.CHECK, session);
                opened.handOver();
                return new SqliteSessions(List.of(session), null, SqliteWriter.fullDisk());
            }
        });
    }

    /// Opens the store in `folder`, which the caller has locked, and creates a missing store.
    ///
    /// @param more the number of sessions for reads
    static SqliteSessions open(Path folder, FolderLock lock, SchemaPolicy migrate, int more) {
        Path file = SqliteFile.in(folder);
        if (!SqliteFile.exists(folder)) {
            try {
                // SQLite gives its companions the same owner and permissions.
                PrivateFiles.createForFolder(file);
            } catch (FileAlreadyExistsException e) {
                // Another process has created it meanwhile.
            } catch (IOException e) {
                throw CommandFailure.of("the store's folder " + folder + " cannot be written", e);
            }
        }
        return SqliteFile.open(file, path -> openOnce(path, lock, migrate, more));
    }

    private static SqliteSessions openOnce(Path file, FolderLock lock, SchemaPolicy migrate, int more)
            throws SQLException {
        List<Session> sessions = new ArrayList<>();
        try (Closer opened = new Closer()) {
            Session writer = opened.add(SqliteFile.connectWriter(file));
            sessions.add(writer);
            OpenFiles files = new OpenFiles(file, lock);
            if (Migrations.SQLITE.arePending(migrate, writer)) {
                SqliteWriter.inTransaction(writer, session -> {
                    BackupChecksum.remove(session);
                    return Migrations.SQLITE.run(session, Migrations.LATEST);
                });
            }
            Outage fullDisk = SqliteWriter.settleUnlessFull(writer, files);
            requireUndamaged(writer);
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
            return new SqliteSessions(List.copyOf(sessions), files, fullDisk);
        }
    }

    /// Looks for damage where it costs no time: in the first and the last row of each table. SQLite itself looks at the file's size.
    private static void requireUndamaged(Session session) throws SQLException {
        for (String table : List.of("pet", "api_key", "idempotency")) {
            for (String order : List.of("ASC", "DESC")) {
                session.rows("SELECT * FROM " + table + " ORDER BY rowid " + order + " LIMIT 1",
                        row -> row.getString(1));
            }
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
