package petstore.testkit;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import petstore.Pet;
import petstore.PetStatus;

/// The SQLite file of a store, read and changed without the store's own code.
public final class StoreFile implements AutoCloseable {

    private final Connection connection;

    public StoreFile(Path folder) {
        try {
            connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("petstore.db"));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /// Returns `ok`, or the first damage that SQLite finds in the file.
    public String integrity() {
        return text("PRAGMA integrity_check").getFirst();
    }

    /// Returns all animals by ascending id.
    public List<Pet> pets() {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id, name, category_id, status FROM pet ORDER BY id")) {
            List<Pet> pets = new ArrayList<>();
            while (row.next()) {
                pets.add(new Pet(row.getLong(1), row.getString(2), row.getLong(3),
                        Optional.ofNullable(row.getString(4)).map(text -> PetStatus.find(text).orElseThrow())));
            }
            return pets;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /// Returns the first column of the rows of a query.
    public List<String> text(String sql) {
        try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (row.next()) {
                values.add(row.getString(1));
            }
            return values;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /// Runs a statement without a result.
    public void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
