package petstore.sql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import petstore.Catalogue;
import petstore.Failure;
import petstore.NewPet;
import petstore.Page;
import petstore.Pet;
import petstore.PetQuery;
import petstore.PetStatus;

/// The catalogue in the table `pet`.
final class SqlCatalogue implements Catalogue, AutoCloseable {

    private static final String COLUMNS = "SELECT id, name, category_id, status FROM pet ";
    private static final String FIND = COLUMNS + "WHERE id = ?";
    private static final String ALL = COLUMNS + "ORDER BY id";
    private static final String COUNT = "SELECT count(*) FROM pet";
    private static final String LIST = COLUMNS + "WHERE id > ? ORDER BY id LIMIT ?";
    private static final String LIST_BY_STATUS = COLUMNS + "WHERE status = ? AND id > ? ORDER BY id LIMIT ?";
    private static final String INSERT = "INSERT INTO pet (id, name, category_id, status) VALUES (?, ?, ?, ?)";

    private final Database database;
    private final GroupWriter<NewPet, Pet> writer;

    SqlCatalogue(Database database) {
        this.database = database;
        this.writer = new GroupWriter<>("catalogue-writer", this::commit);
    }

    @Override
    public Page list(PetQuery query) {
        return Page.of(query, database.read(session -> {
            PreparedStatement select = session.prepare(query.status().isEmpty() ? LIST : LIST_BY_STATUS);
            int at = 1;
            if (query.status().isPresent()) {
                select.setString(at++, query.status().get().text());
            }
            select.setLong(at++, query.after());
            select.setInt(at, query.limit() + 1);
            return Session.rows(select, SqlCatalogue::pet);
        }));
    }

    @Override
    public Optional<Pet> find(long id) {
        return database.read(session -> {
            PreparedStatement select = session.prepare(FIND);
            select.setLong(1, id);
            return Session.rows(select, SqlCatalogue::pet).stream().findFirst();
        });
    }

    @Override
    public Pet add(NewPet pet) {
        return writer.write(pet);
    }

    @Override
    public void addAll(List<NewPet> pets) {
        commit(pets);
    }

    private List<Pet> commit(List<NewPet> newPets) {
        return database.write(session -> {
            long firstId = database.newPetIds(session, newPets.size());
            List<Pet> pets = new ArrayList<>(newPets.size());
            for (NewPet newPet : newPets) {
                pets.add(newPet.withId(firstId + pets.size()));
            }
            insert(session, pets);
            return pets;
        });
    }

    @Override
    public void putBack(List<Pet> pets) {
        database.write(session -> {
            try {
                insert(session, pets);
                return pets.size();
            } catch (SQLException e) {
                for (long id : taken(session, pets.stream().map(Pet::id).toList())) {
                    throw new Failure(Failure.Kind.INVALID_REQUEST, "the id " + id + " is taken", e);
                }
                throw e;
            }
        });
    }

    private static void insert(Session session, List<Pet> pets) throws SQLException {
        PreparedStatement insert = session.prepare(INSERT);
        insert.clearBatch();
        for (Pet pet : pets) {
            insert.setLong(1, pet.id());
            insert.setString(2, pet.name());
            insert.setLong(3, pet.categoryId());
            insert.setString(4, pet.status().map(PetStatus::text).orElse(null));
            insert.addBatch();
        }
        insert.executeBatch();
    }

    @Override
    public void forEach(Consumer<Pet> action) {
        database.read(session -> {
            try (ResultSet rows = session.prepare(ALL).executeQuery()) {
                while (rows.next()) {
                    action.accept(pet(rows));
                }
            }
            return true;
        });
    }

    @Override
    public long count() {
        return database.read(session -> Session.rows(session.prepare(COUNT), row -> row.getLong(1)).getFirst());
    }

    @Override
    public Set<Long> taken(Collection<Long> ids) {
        return database.read(session -> taken(session, ids));
    }

    private static Set<Long> taken(Session session, Collection<Long> ids) throws SQLException {
        PreparedStatement select = session.prepare(FIND);
        Set<Long> taken = new HashSet<>();
        for (long id : ids) {
            select.setLong(1, id);
            if (!Session.rows(select, SqlCatalogue::pet).isEmpty()) {
                taken.add(id);
            }
        }
        return taken;
    }

    @Override
    public long reserveIds(long id) {
        return database.write(session -> database.reservePetIds(session, id));
    }

    private static Pet pet(ResultSet row) throws SQLException {
        return new Pet(row.getLong(1), row.getString(2), row.getLong(3),
                Optional.ofNullable(row.getString(4)).map(SqlCatalogue::status));
    }

    private static PetStatus status(String text) {
        return PetStatus.find(text).orElseThrow(() -> new IllegalStateException("the store has the status " + text));
    }

    /// Waits until every animal that was taken is committed.
    @Override
    public void close() {
        writer.close();
    }
}
