package petstore.sql;

import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Objects;
import java.util.function.Consumer;

import petstore.Pet;
import petstore.PetStatus;

/// Many rows of SQLite's table `pet` in one value, because every call into the driver costs more than a row does.
///
/// A row is its four columns, each ended by NUL, which no name contains.
final class PackedPets {

    private static final int ROWS = 2_000;
    /// One row a chunk, whose single column is NULL when nothing is left.
    private static final String AFTER = "SELECT CAST(group_concat(concat_ws(char(0), id, name, category_id,"
            + " coalesce(status, '')), char(0)) || char(0) AS BLOB)"
            + " FROM (SELECT * FROM pet WHERE id > ? ORDER BY id LIMIT " + ROWS + ")";

    private static final byte[] NOTHING = {};

    private final byte[] packed;
    private int at;

    private PackedPets(byte[] packed) {
        this.packed = packed;
    }

    /// Shows every animal to `action`, by ascending id; the caller makes it one transaction.
    static void forEach(Session session, Consumer<Pet> action) throws SQLException {
        PreparedStatement select = session.prepare(AFTER);
        long after = 0;
        while (true) {
            select.setLong(1, after);
            byte[] chunk = Session.rows(select, row -> Objects.requireNonNullElse(row.getBytes(1), NOTHING)).getFirst();
            if (chunk.length == 0) {
                return;
            }
            PackedPets pets = new PackedPets(chunk);
            while (pets.at < chunk.length) {
                Pet pet = pets.next();
                after = pet.id();
                action.accept(pet);
            }
        }
    }

    private Pet next() {
        return new Pet(Long.parseLong(text()), text(), Long.parseLong(text()), PetStatus.find(text()));
    }

    private String text() {
        int begin = at;
        while (packed[at] != 0) {
            at++;
        }
        return new String(packed, begin, at++ - begin, StandardCharsets.UTF_8);
    }
}
