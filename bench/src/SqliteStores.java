import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

import org.sqlite.SQLiteConfig;

/// Embedded stores, and measurements of SQLite alone on them, with the driver and the settings of the service.
final class SqliteStores implements Store.Source {

    private static final String ROWS = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
            INSERT INTO pet (id, name, category_id, status) SELECT i, 'Animal number ' || i, i %% 50,
            CASE i %% 3 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END FROM n""";

    private final Lab lab;
    private final Map<Long, Path> seeds = new HashMap<>();

    SqliteStores(Lab lab) {
        this.lab = lab;
        System.setProperty("org.sqlite.tmpdir", lab.folder.toString());
    }

    @Override
    public Store shared(long animals) throws Exception {
        return store(seed(animals), () -> {
        });
    }

    @Override
    public Store copy(long animals) throws Exception {
        Path copy = copySeed(animals);
        return store(copy, () -> lab.delete(copy));
    }

    private Store store(Path folder, Runnable end) {
        return new Store(List.of("--data", folder.toString()), Map.of(), end);
    }

    private Path seed(long animals) throws Exception {
        Path seed = seeds.get(animals);
        if (seed == null) {
            seed = lab.newPath("sqlite");
            System.err.printf("making an embedded store of %,d animals%n", animals);
            // The first command on a new store creates its tables.
            lab.run(List.of(lab.home.resolve("petstore").toString(), "keys", "create", "--name", "bench",
                    "--data", seed.toString()), Map.of());
            try (Connection connection = connect(seed); Statement statement = connection.createStatement()) {
                statement.execute(ROWS.formatted(animals));
                statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
            }
            seeds.put(animals, seed);
        }
        return seed;
    }

    private Path copySeed(long animals) throws Exception {
        Path seed = seed(animals);
        Path copy = lab.newPath("sqlite");
        lab.run(List.of("cp", "-a", seed.toString(), copy.toString()), Map.of());
        // Pending writes of the system would disturb the measurement.
        lab.run(List.of("sync", "-f", copy.toString()), Map.of());
        return copy;
    }

    private static Connection connect(Path folder) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setPragma(SQLiteConfig.Pragma.MMAP_SIZE, "0");
        config.setGetGeneratedKeys(false);
        return config.createConnection("jdbc:sqlite:" + folder.resolve("petstore.db"));
    }

    /// Returns the number of transactions a second that add one animal each, by one thread.
    Sample insertAlone(long animals, int seconds) throws Exception {
        Path folder = copySeed(animals);
        try (Connection connection = connect(folder); PreparedStatement insert = connection
                .prepareStatement("INSERT INTO pet (name, category_id, status) VALUES (?, ?, ?)")) {
            Step step = () -> {
                insert.setString(1, "Whiskers");
                insert.setLong(2, 7);
                insert.setString(3, "available");
                insert.executeUpdate();
            };
            perSecond(1, step);
            return perSecond(seconds, step);
        } finally {
            lab.delete(folder);
        }
    }

    /// Returns the number of pages of 20 animals a second that begin anywhere, by one thread.
    Sample pagesAlone(long animals, int seconds) throws Exception {
        try (Connection connection = connect(seed(animals)); PreparedStatement page = connection.prepareStatement(
                "SELECT id, name, category_id, status FROM pet WHERE id > ? ORDER BY id LIMIT 21")) {
            Step step = () -> {
                page.setLong(1, ThreadLocalRandom.current().nextLong(animals));
                try (ResultSet rows = page.executeQuery()) {
                    while (rows.next()) {
                        rows.getLong(1);
                        rows.getString(2);
                        rows.getLong(3);
                        rows.getString(4);
                    }
                }
            };
            perSecond(1, step);
            return perSecond(seconds, step);
        }
    }

    private interface Step {
        void run() throws SQLException;
    }

    private static Sample perSecond(int seconds, Step step) throws SQLException {
        long begin = System.nanoTime();
        long end = begin + seconds * 1_000_000_000L;
        long steps = 0;
        while (System.nanoTime() < end) {
            step.run();
            steps++;
        }
        return Sample.of(steps * 1e9 / (System.nanoTime() - begin));
    }
}
