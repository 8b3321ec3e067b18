package petstore.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

import petstore.Pet;
import petstore.PetStatus;

/// A row of the table `pet`.
final class PetRow {

    /// The beginning of every query whose rows [#read] takes.
    static final String SELECT = "SELECT id, name, category_id, status FROM pet ";

    private PetRow() {
    }

    /// The animal in the current row of a query.
    static Pet read(ResultSet row) throws SQLException {
        return new Pet(row.getLong(1), row.getString(2), row.getLong(3),
                Optional.ofNullable(row.getString(4)).map(PetRow::status));
    }

    /// The status that is written so in the table.
    static PetStatus status(String text) {
        return PetStatus.find(text).orElseThrow(() -> new IllegalStateException("the store has the status " + text));
    }
}
