package petstore.sql;

import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import petstore.Pet;
import petstore.PetStatus;

/// Many rows of SQLite's table `pet` in one value, because every call into the driver costs more than a row does.
///
/// A row is its four columns with NULs between, which no name contains. Between rows are commas, which no status contains.
final class PackedPets {

    private static final int GROUP = 2_000;
    private static final String PACKED = "SELECT CAST(group_concat(concat_ws(char(0), id, name, category_id,"
            + " coalesce(status, ''))) AS BLOB) FROM ";
    /// SQLite reads a range of ids straight from the table, in their order; of a subquery with a limit it would copy every row.
    private static final String AFTER = PACKED + "pet WHERE id > ?1 AND id <= coalesce("
            + "(SELECT id FROM pet WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET " + (GROUP - 1) + "), " + Long.MAX_VALUE
            + ")";

    private final byte[] packed;
    private int at;

    private PackedPets(byte[] packed) {
        this.packed = packed;
    }

    /// The query for what `select`, a query for rows of the table, gives in their order.
    static String pack(String select) {
        return PACKED + '(' + select + ')';
    }

    /// The animals that a packing query gives.
    static List<Pet> read(PreparedStatement select) throws SQLException {
        byte @Nullable [] packed = Session.rows(select, row -> row.getBytes(1)).getFirst();
        return packed == null ? List.of() : new PackedPets(packed).unpack();
    }

    /// Shows every animal to `action`, by ascending id; the caller makes it one transaction.
    static void forEachGroup(Session session, Consumer<List<Pet>> action) throws SQLException {
        PreparedStatement select = session.prepare(AFTER);
        select.setLong(1, 0);
        for (List<Pet> group = read(select); !group.isEmpty(); group = read(select)) {
            action.accept(group);
            select.setLong(1, group.getLast().id());
        }
    }

    private List<Pet> unpack() {
        List<Pet> pets = new ArrayList<>();
        while (at < packed.length) {
            pets.add(new Pet(number(), text((byte) 0), number(), status(text((byte) ','))));
        }
        return pets;
    }

    private static Optional<PetStatus> status(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(PetRow.status(text));
    }

    private long number() {
        int begin = at;
        at = end((byte) 0);
        return parse(packed, begin, at++);
    }

    private String text(byte end) {
        int begin = at;
        at = end(end);
        return new String(packed, begin, at++ - begin, StandardCharsets.UTF_8);
    }

    private int end(byte end) {
        int i = at;
        while (i < packed.length && packed[i] != end) {
            i++;
        }
        return i;
    }

    // Every number is negative on the way, because the least one has no positive counterpart.
    private static long parse(byte[] digits, int begin, int end) {
        boolean negative = digits[begin] == '-';
        long value = 0;
        for (int i = negative ? begin + 1 : begin; i < end; i++) {
            value = value * 10 - (digits[i] - '0');
        }
        return negative ? value : -value;
    }
}
