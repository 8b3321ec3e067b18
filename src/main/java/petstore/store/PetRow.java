package petstore.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import petstore.Pet;
import petstore.PetStatus;
import petstore.Utf8;

/// A row of the table `pet`.
public final class PetRow {

    /// The beginning of every query whose rows [#read] takes.
    public static final String SELECT = "SELECT id, name, category_id, status FROM pet ";

    // As rows have them: text that is made for each row costs more than to compare it.
    private static final List<Known> STATUSES = Arrays.stream(PetStatus.values())
            .map(status -> new Known(Utf8.of(status.text()), Optional.of(status))).toList();

    private record Known(Utf8 text, Optional<PetStatus> status) {
    }

    private PetRow() {
    }

    /// The animal in the current row of a query.
    public static Pet read(ResultSet row) throws SQLException {
        byte[] name = row.getBytes(2);
        return new Pet(row.getLong(1), new Utf8(name, 0, name.length), row.getLong(3),
                Optional.ofNullable(row.getString(4)).map(Utf8::of).flatMap(PetRow::status));
    }

    /// The status that is written so in the table.
    public static Optional<PetStatus> status(Utf8 text) {
        for (Known known : STATUSES) {
            if (known.text.equals(text)) {
                return known.status;
            }
        }
        throw new IllegalStateException("the store has the status " + text);
    }
}
