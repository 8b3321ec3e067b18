package petstore.sql;

import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Consumer;

import petstore.Pet;
import petstore.PetStatus;

/// Many rows of SQLite's table `pet` in one value, because every call into the driver costs more than a row does.
///
/// A row is its four columns, each ended by NUL, which no name contains.
final class PackedPets implements Iterable<Pet> {

    private static final int ROWS = 2_000;
    /// No row when nothing is left.
    private static final String AFTER = "SELECT CAST(group_concat(concat_ws(char(0), id, name, category_id,"
            + " coalesce(status, '')), char(0)) || char(0) AS BLOB), max(id)"
            + " FROM (SELECT * FROM pet WHERE id > ? ORDER BY id LIMIT " + ROWS + ") HAVING count(*) > 0";

    private final byte[] packed;
    private final long lastId;

    private PackedPets(byte[] packed, long lastId) {
        this.packed = packed;
        this.lastId = lastId;
    }

    /// Shows every animal to `action`, by ascending id; the caller makes it one transaction.
    static void forEachGroup(Session session, Consumer<Iterable<Pet>> action) throws SQLException {
        PreparedStatement select = session.prepare(AFTER);
        long after = 0;
        while (true) {
            select.setLong(1, after);
            Optional<PackedPets> group = Session.rows(select, row -> new PackedPets(row.getBytes(1), row.getLong(2)))
                    .stream().findFirst();
            if (group.isEmpty()) {
                return;
            }
            action.accept(group.get());
            after = group.get().lastId;
        }
    }

    @Override
    public Iterator<Pet> iterator() {
        return new Iterator<>() {

            private int at;

            @Override
            public boolean hasNext() {
                return at < packed.length;
            }

            @Override
            public Pet next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return new Pet(number(), text(), number(), PetStatus.find(text()));
            }

            // Every number is negative on the way, because the least one has no positive counterpart.
            private long number() {
                boolean negative = packed[at] == '-';
                if (negative) {
                    at++;
                }
                long value = 0;
                for (; packed[at] != 0; at++) {
                    value = value * 10 - (packed[at] - '0');
                }
                at++;
                return negative ? value : -value;
            }

            private String text() {
                int begin = at;
                while (packed[at] != 0) {
                    at++;
                }
                return new String(packed, begin, at++ - begin, StandardCharsets.UTF_8);
            }
        };
    }
}
