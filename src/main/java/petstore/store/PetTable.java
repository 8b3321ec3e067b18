package petstore.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import petstore.Catalogue.Page;
import petstore.CatalogueVersion;
import petstore.IdempotencyKey;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetQuery;
import petstore.PetStatus;
import petstore.json.PetJson;
import petstore.store.block.Block;

/// Statements on the table `pet`, and its rows.
public final class PetTable {

    /// The columns in the order in which [#read] reads them and [#insert] sets them.
    public static final List<String> COLUMNS = List.of("id", "name", "category_id", "status");
    private static final String NAMES = String.join(", ", COLUMNS);
    /// The start of every query whose rows [#read] reads.
    public static final String SELECT = "SELECT " + NAMES + " FROM pet ";
    public static final String ALL = SELECT + "ORDER BY id";
    /// The animals of a range of ids, and in each row the version of the same snapshot. Without an animal, one row has the version alone.
    /// PostgreSQL plans for one version only because of the limit.
    private static final String BLOCK = "SELECT " + NAMES + ", changes, last_id"
            + " FROM (SELECT changes, last_id FROM catalogue_version LIMIT 1) AS version"
            + " LEFT JOIN pet ON id BETWEEN ? AND ? ORDER BY id";
    private static final String FIND = SELECT + "WHERE id = ?";
    private static final String ROW = "(?" + ", ?".repeat(COLUMNS.size() - 1) + ")";
    private static final String INSERT = "INSERT INTO pet (" + NAMES + ") VALUES " + ROW;

    /// The values of a row, from its first column to its last.
    public interface Values {

        /// Returns the next value, of a column that has no nulls.
        long number() throws SQLException;

        /// Returns the next value; absent for null, and for an empty text if the rows do not tell them apart.
        Optional<String> text() throws SQLException;
    }

    private PetTable() {
    }

    public static Pet read(ResultSet row) throws SQLException {
        return read(new Values() {
            private int column;

            @Override
            public long number() throws SQLException {
                return row.getLong(++column);
            }

            @Override
            public Optional<String> text() throws SQLException {
                return Optional.ofNullable(row.getString(++column));
            }
        });
    }

    /// Returns the animal with the next values. Errors: `IllegalStateException` for an unknown status.
    public static Pet read(Values row) throws SQLException {
        // SQL may have made a name empty.
        return new Pet(row.number(), row.text().orElse(""), row.number(),
                row.text().map(text -> PetStatus.find(text).orElseThrow(
                        () -> new IllegalStateException("the store has an animal with an unknown status"))));
    }

    /// Returns the page of a query.
    ///
    /// @param matches the matching animals by ascending id; one more than the limit if there is a next page
    public static Page page(PetQuery query, List<Pet> matches) {
        if (matches.size() <= query.limit()) {
            return new Page(PetJson.write(matches), Optional.empty());
        }
        List<Pet> pets = matches.subList(0, query.limit());
        return new Page(PetJson.write(pets), Optional.of(query.continuedAfter(pets.getLast().id())));
    }

    /// Returns the animals with these ids and the version of the store, of one snapshot.
    static Block block(Session session, Block.Ids ids) throws SQLException {
        try (ResultSet row = session.prepare(BLOCK, ids.first(), ids.last()).executeQuery()) {
            if (!row.next()) {
                throw new SQLException(Session.emptied("pet_id or pet_change"));
            }
            CatalogueVersion version = new CatalogueVersion(row.getLong(COLUMNS.size() + 1),
                    row.getLong(COLUMNS.size() + 2));
            List<Pet> pets = new ArrayList<>();
            do {
                if (row.getLong(1) != 0) {
                    pets.add(read(row));
                }
            } while (row.next());
            return new Block(ids, version, pets);
        }
    }

    static Optional<Pet> find(Session session, long id) throws SQLException {
        return session.rows(FIND, PetTable::read, id).stream().findFirst();
    }

    public static List<Pet> withIds(List<NewPet> pets, long firstId) {
        return IntStream.range(0, pets.size()).mapToObj(i -> pets.get(i).withId(firstId + i)).toList();
    }

    /// Inserts animals under their own ids, many in one statement, because SQLite updates its sequence once a statement.
    static void insert(Session session, List<Pet> pets) throws SQLException {
        for (List<Pet> some : Session.chunks(pets)) {
            PreparedStatement insert = session.prepare(INSERT + (", " + ROW).repeat(some.size() - 1));
            int at = 1;
            for (Pet pet : some) {
                insert.setLong(at++, pet.id());
                insert.setString(at++, pet.name());
                insert.setLong(at++, pet.categoryId());
                insert.setString(at++, pet.status().map(PetStatus::text).orElse(null));
            }
            insert.executeUpdate();
        }
    }

    /// Inserts an animal and a stored result within a transaction on SQLite, and rolls both back.
    public static void tryInsert(Session session, long id) throws SQLException {
        session.execute("SAVEPOINT trial");
        insert(session, List.of(new Pet(id, "trial", 0, Optional.of(PetStatus.AVAILABLE))));
        // No API key has an empty name.
        SqlIdempotency.insert(session, List.of(new SqlIdempotency.StoredResult(new IdempotencyKey.Name("", "", ""), "",
                id, Instant.EPOCH)));
        session.execute("ROLLBACK TO trial");
        session.execute("RELEASE trial");
    }
}
