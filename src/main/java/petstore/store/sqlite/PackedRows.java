package petstore.store.sqlite;

import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import petstore.Pet;
import petstore.PetQuery;
import petstore.store.PetTable;
import petstore.store.Session;

/// Many rows of the table `pet` in one value, because a call into SQLite's driver costs more than a row.
///
/// The byte FF ends each column, because no text in UTF-8 contains it. An empty text stands for null, too.
final class PackedRows implements Iterator<Pet>, PetTable.Values {

    private static final int GROUP = 2_000;
    private static final byte END = (byte) 0xFF;
    private static final String PACKED = "SELECT " + packed(PetTable.COLUMNS);
    /// The first `?2 + 1` animals after `?1`. SQLite reads a range of ids from the table in order, but copies the rows of a subquery with
    /// a limit.
    private static final String RANGE = " FROM pet WHERE id > ?1 AND id <= coalesce("
            + "(SELECT id FROM pet WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2), " + Long.MAX_VALUE + ")";
    private static final String LIST = PACKED + RANGE;
    private static final String LIST_WITH_LAST_ID = PACKED + ", max(id)" + RANGE;
    static final String LIST_BY_STATUS = PACKED + " FROM (" + PetTable.SELECT
            + "WHERE id > ?1 AND status = ?3 ORDER BY id LIMIT ?2 + 1)";

    private final byte[] packed;
    private int at;

    PackedRows(byte[] packed) {
        this.packed = packed;
    }

    /// Returns the SQL of an aggregate that packs these columns of all rows.
    static String packed(List<String> columns) {
        return "CAST(group_concat(concat_ws(CAST(x'FF' AS TEXT), " + columns.stream()
                .map(column -> "coalesce(" + column + ", ''), ").collect(Collectors.joining()) + "''), '') AS BLOB)";
    }

    static List<Pet> list(Session session, PetQuery query) throws SQLException {
        PreparedStatement select = query.status().isEmpty()
                ? session.prepare(LIST, query.after(), query.limit())
                : session.prepare(LIST_BY_STATUS, query.after(), query.limit(), query.status().get().text());
        List<Pet> pets = new ArrayList<>(query.limit() + 1);
        try (ResultSet row = select.executeQuery()) {
            read(row).forEach(pets::add);
        }
        return pets;
    }

    /// Passes every animal to `action`, by ascending id. The caller opens the transaction.
    static void forEachGroup(Session session, Consumer<Iterable<Pet>> action) throws SQLException {
        PreparedStatement select = session.prepare(LIST_WITH_LAST_ID);
        long lastId = 0;
        do {
            select.setLong(1, lastId);
            select.setInt(2, GROUP - 1);
            try (ResultSet row = select.executeQuery()) {
                action.accept(read(row));
                lastId = row.getLong(2);
            }
        } while (lastId > 0);
    }

    /// Returns the animals in the only row of a query.
    private static Iterable<Pet> read(ResultSet row) throws SQLException {
        byte @Nullable [] packed = row.next() ? row.getBytes(1) : null;
        return () -> new PackedRows(packed == null ? new byte[0] : packed);
    }

    @Override
    public boolean hasNext() {
        return at < packed.length;
    }

    @Override
    public Pet next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        try {
            return PetTable.read(this);
        } catch (SQLException e) {
            throw new IllegalStateException("the values are in memory", e);
        }
    }

    // Parsed as a negative number, because the smallest long has no positive counterpart.
    @Override
    public long number() {
        boolean negative = packed[at] == '-';
        if (negative) {
            at++;
        }
        long value = 0;
        for (byte digit = packed[at++]; digit != END; digit = packed[at++]) {
            value = value * 10 - (digit - '0');
        }
        return negative ? value : -value;
    }

    @Override
    public Optional<String> text() {
        int begin = at;
        while (packed[at] != END) {
            at++;
        }
        String text = new String(packed, begin, at - begin, StandardCharsets.UTF_8);
        at++;
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }
}
