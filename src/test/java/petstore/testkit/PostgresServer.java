package petstore.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/// A real PostgreSQL server that all tests of a process share.
public final class PostgresServer {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final AtomicInteger DATABASES = new AtomicInteger();

    /// The files of a new server. The first process of a build makes them, and the others copy them.
    private static final class NewFiles {
        private static final Path DATA;
        private static final String PROGRAM;

        static {
            // The name of the archive has the version of PostgreSQL.
            String archive = String.valueOf(EmbeddedPostgres.class.getResource("/postgres-linux-x86_64.txz"));
            Path made = Path.of("target", "postgresql-" + Integer.toHexString(archive.hashCode())).toAbsolutePath();
            Path program = made.resolve("program");
            DATA = made.resolve("data");
            try (FileChannel file = FileChannel.open(Path.of(made + ".lock"), StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE); FileLock _ = file.lock()) {
                if (!Files.exists(program) || !Files.exists(Path.of(Files.readString(program)))) {
                    if (Files.exists(made)) {
                        delete(made);
                    }
                    Files.createDirectories(DATA);
                    Files.writeString(program, makeFilesOfNewServer());
                }
                PROGRAM = Files.readString(program);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /// Makes the files. Returns the path of the server program.
        private static String makeFilesOfNewServer() throws IOException {
            try (EmbeddedPostgres _ = builder().setDataDirectory(DATA).setCleanDataDirectory(false).start();
                    Stream<String> lines = Files.lines(DATA.resolve("postmaster.pid"))) {
                return ProcessHandle.of(Long.parseLong(lines.findFirst().orElseThrow())).orElseThrow().info()
                        .command().orElseThrow();
            }
        }
    }

    /// Makes the files of a new server in a folder.
    static void makeFiles(Path data) {
        copyFiles(NewFiles.DATA, data);
    }

    /// Copies the files of a server that does not run to a folder.
    static void copyFiles(Path from, Path to) {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path copy = to.resolve(from.relativize(file).toString());
                if (!Files.isDirectory(copy)) {
                    Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns the path of the server program.
    static String program() {
        return NewFiles.PROGRAM;
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Starts the server on its first use.
    private static final class Running {
        private static final EmbeddedPostgres SERVER = start();

        private static EmbeddedPostgres start() {
            try {
                Path data = Files.createTempDirectory("petstore-postgresql");
                makeFiles(data);
                EmbeddedPostgres server = builder().setDataDirectory(data).setCleanDataDirectory(false)
                        .setRegisterShutdownHook(false).start();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> discard(data)));
                return server;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /// Stops the server and deletes its files. An orderly shutdown would first write hundreds of databases to disk.
        private static void discard(Path data) {
            try (Stream<String> lines = Files.lines(data.resolve("postmaster.pid"))) {
                ProcessHandle server = ProcessHandle.of(Long.parseLong(lines.findFirst().orElseThrow())).orElseThrow();
                new ProcessBuilder("kill", "-QUIT", String.valueOf(server.pid())).start().waitFor();
                server.onExit().join();
                delete(data);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private PostgresServer() {
    }

    /// Returns a builder for servers with durable commits.
    public static EmbeddedPostgres.Builder builder() {
        return EmbeddedPostgres.builder().setServerConfig("synchronous_commit", "on").setServerConfig("fsync", "on")
                .setServerConfig("full_page_writes", "on").setPGStartupWait(PATIENCE);
    }

    /// Creates an empty database. Returns its URL, as psql accepts it.
    public static String newDatabase() {
        return newDatabase("");
    }

    /// Creates an empty database with these options of CREATE DATABASE. Returns its URL.
    public static String newDatabase(String options) {
        String name = "petstore" + DATABASES.incrementAndGet();
        execute("CREATE DATABASE " + name + " " + options);
        return "postgresql://postgres@localhost:" + Running.SERVER.getPort() + "/" + name;
    }

    /// Runs a statement in a database of [#newDatabase]. Returns the first column of its rows; empty if there are no rows.
    public static List<String> query(String url, String sql) {
        try (Connection connection = connect(url)) {
            return query(connection, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Runs a statement on a connection. Returns the first column of its rows; empty if there are no rows.
    public static List<String> query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            List<String> rows = new ArrayList<>();
            if (statement.execute(sql)) {
                ResultSet result = statement.getResultSet();
                while (result.next()) {
                    rows.add(result.getString(1));
                }
            }
            return rows;
        }
    }

    /// Returns the ids of the server processes that wait for a lock in a database of [#newDatabase].
    public static List<String> waitingForLocks(String url) {
        return query(url, "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                + " AND wait_event_type = 'Lock'");
    }

    /// Opens a connection to a database of [#newDatabase], to examine it without the code of the program.
    ///
    /// @param url the URL of the database
    public static Connection connect(String url) throws SQLException {
        return Running.SERVER.getDatabase("postgres", url.substring(url.lastIndexOf('/') + 1)).getConnection();
    }

    /// Runs a statement in the database `postgres` of the server, which is none of [#newDatabase].
    public static void execute(String sql) {
        try (Connection connection = Running.SERVER.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
