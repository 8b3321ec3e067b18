package petstore.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import petstore.Pet;
import petstore.PetStatus;

/// A row of the table `pet`.
public final class PetRow {

    /// The start of every query whose rows [#read] takes.
    public static final String SELECT = "SELECT id, name, category_id, status FROM pet ";

    private PetRow() {
    }

    /// Returns the animal in the current row.
    public static Pet read(ResultSet row) throws SQLException {
        return new Pet(row.getLong(1), row.getString(2), row.getLong(3), status(row.getString(4)));
    }

    /// Returns the status for the text in the table; absent for null. Errors: `IllegalStateException` for an unknown text.
    public static Optional<PetStatus> status(@Nullable String text) {
        Optional<PetStatus> status = Optional.ofNullable(text).flatMap(PetStatus::find);
        if (text != null && status.isEmpty()) {
            throw new IllegalStateException("the store has the status " + text);
        }
        return status;
    }
}
