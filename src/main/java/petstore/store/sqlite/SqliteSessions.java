package petstore.store.sqlite;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
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
/// @param writer the session of writes; the only session of a command, which may be read-only
/// @param readers one for unqueued reads, and one for each thread of queued reads; empty for a command
/// @param files the files of sessions that may write; null for a command that only reads
/// @param fullDisk lasts until the file holds everything that the log held at the start
record SqliteSessions(Session writer, List<Session> readers, @Nullable OpenFiles files,
        Outage fullDisk) implements AutoCloseable {

    /// Opens the store in `folder`, which the caller has locked, for a command that only reads.
    static SqliteSessions toRead(Path folder) {
        return SqliteFile.open(SqliteFile.in(folder), file -> {
            try (Closer opened = new Closer()) {
                Session session = opened.add(SqliteFile.connectReader(file));
                Migrations.SQLITE.arePending(SchemaPolicy.CHECK, session);
                opened.handOver();
                return new SqliteSessions(session, List.of(), null, outageOfFullDisk());
            }
        });
    }

    /// Opens the store in `folder`, which the caller has locked, and creates a missing store.
    ///
    /// @param readers the number of sessions for reads
    static SqliteSessions open(Path folder, FolderLock lock, SchemaPolicy migrate, int readers) {
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
        return SqliteFile.open(file, path -> openOnce(path, lock, migrate, readers));
    }

    private static SqliteSessions openOnce(Path file, FolderLock lock, SchemaPolicy migrate, int readers)
            throws SQLException {
        try (Closer opened = new Closer()) {
            Session writer = opened.add(SqliteFile.connectWriter(file));
            OpenFiles files = new OpenFiles(file, lock);
            if (Migrations.SQLITE.arePending(migrate, writer)) {
                SqliteWriter.inTransaction(writer, session -> {
                    BackupChecksum.remove(session);
                    return Migrations.SQLITE.run(session, Migrations.LATEST);
                });
            }
            Outage fullDisk = outageOfFullDisk();
            try {
                files.settle(writer);
            } catch (SQLException e) {
                if (!SqliteErrors.isFullDisk(e)) {
                    throw e;
                }
                // The store can be read, because SQLite syncs the log first.
                writer.closeStatements();
                fullDisk.failed(String.valueOf(e.getMessage()));
            }
            requireUndamaged(writer);
            try {
                // SQLite ignores errors when it syncs the names of its files.
                AtomicFile.syncNames(file.resolveSibling("."));
            } catch (IOException e) {
                throw CommandFailure.of("the store cannot be opened", e);
            }
            List<Session> sessions = new ArrayList<>();
            for (int i = 0; i < readers; i++) {
                sessions.add(opened.add(SqliteFile.connectReader(file)));
            }
            opened.handOver();
            return new SqliteSessions(writer, sessions, files, fullDisk);
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

    private static Outage outageOfFullDisk() {
        return new Outage(LoggerFactory.getLogger(Sqlite.class), Level.WARN,
                "the store's disk is full; free some space, because writes are refused until then",
                "the store's disk has space again");
    }

    /// Returns false for a command.
    boolean areServed() {
        return !readers.isEmpty();
    }

    Session unqueued() {
        return areServed() ? readers.getFirst() : writer;
    }

    List<Session> queued() {
        return areServed() ? readers.subList(1, readers.size()) : List.of(writer);
    }

    /// Closes all sessions, the writer last, because only the last connection moves the log into the file.
    @Override
    public void close() {
        Closer.closeAll(new Closer(readers), writer);
    }
}
