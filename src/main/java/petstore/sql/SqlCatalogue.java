package petstore.sql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import petstore.Catalogue;
import petstore.NewPet;
import petstore.Page;
import petstore.Pet;
import petstore.PetQuery;
import petstore.PetStatus;

/// The catalogue in the table `pet`.
final class SqlCatalogue implements Catalogue, AutoCloseable {

    private static final String COLUMNS = "SELECT id, name, category_id, status FROM pet ";
    private static final String FIND = COLUMNS + "WHERE id = ?";
    private static final String LIST = COLUMNS + "WHERE id > ? ORDER BY id LIMIT ?";
    private static final String LIST_BY_STATUS = COLUMNS + "WHERE status = ? AND id > ? ORDER BY id LIMIT ?";
    private static final String INSERT = "INSERT INTO pet (id, name, category_id, status) VALUES (?, ?, ?, ?)";

    private final Database database;
    private final GroupWriter<NewPet, Pet> writer;

    SqlCatalogue(Database database) {
        this.database = database;
        this.writer = new GroupWriter<>("catalogue-writer", this::addAll);
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

    private List<Pet> addAll(List<NewPet> newPets) {
        return database.write(session -> {
            List<Long> ids = database.newPetIds(session, newPets.size());
            List<Pet> pets = new ArrayList<>(newPets.size());
            PreparedStatement insert = session.prepare(INSERT);
            insert.clearBatch();
            for (NewPet newPet : newPets) {
                Pet pet = newPet.withId(ids.get(pets.size()));
                insert.setLong(1, pet.id());
                insert.setString(2, pet.name());
                insert.setLong(3, pet.categoryId());
                insert.setString(4, pet.status().map(PetStatus::text).orElse(null));
                insert.addBatch();
                pets.add(pet);
            }
            insert.executeBatch();
            return pets;
        });
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
