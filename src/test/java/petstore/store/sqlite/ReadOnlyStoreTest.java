package petstore.store.sqlite;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petstore.CommandFailure;
import petstore.NewPet;
import petstore.store.SchemaPolicy;
import petstore.store.Session;
import petstore.store.SqlStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A store that is read without locks.
class ReadOnlyStoreTest {

    private static final int CHANGE_COUNTER_OFFSET = 24;

    @TempDir
    private Path folder;
    private Path file;

    @BeforeEach
    void createStore() {
        file = SqliteFile.in(folder);
        addAnimal();
    }

    private void addAnimal() {
        try (SqlStore store = SqlStore.of(Sqlite.forCommand(folder, SchemaPolicy.AUTO, true))) {
            store.catalogue().addAll(List.of(new NewPet("Rex", 1, Optional.empty())));
        }
    }

    @Test
    void isReadWithoutCompanionFiles() throws SQLException {
        ReadOnlyStore store = new ReadOnlyStore(file);
        try (Session session = SqliteFile.connectUnlocked(file)) {
            assertThat(session.text("SELECT count(*) FROM pet")).isEqualTo("1");
            assertThat(folder).isDirectoryNotContaining(path -> !path.equals(file));
            assertThatThrownBy(() -> session.execute("DELETE FROM pet")).isInstanceOf(SQLException.class);
        }
        store.requireUnchanged();
    }

    @Test
    void isAbsentIfWritableOrMissing() {
        assertThat(ReadOnlyStore.find(file)).isEmpty();
        assertThat(ReadOnlyStore.find(folder.resolve("none"))).isEmpty();
    }

    @Test
    void isRefusedIfLogHasChanges() throws IOException {
        Path log = Files.createFile(SqliteFile.log(file));
        ReadOnlyStore store = new ReadOnlyStore(file);
        Files.writeString(log, "changes");
        assertThatThrownBy(() -> new ReadOnlyStore(file)).isInstanceOf(CommandFailure.class)
                .hasMessageContaining("petstore.db-wal");
        assertThatThrownBy(store::requireUnchanged).isInstanceOf(CommandFailure.class)
                .hasMessageContaining("petstore.db-wal");
    }

    @Test
    void detectsEveryChange() throws IOException {
        ReadOnlyStore before = new ReadOnlyStore(file);
        addAnimal();
        assertChanged(before);

        ReadOnlyStore beforeCounterChange = new ReadOnlyStore(file);
        FileTime time = Files.getLastModifiedTime(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[]{1}), CHANGE_COUNTER_OFFSET);
        }
        Files.setLastModifiedTime(file, time);
        assertChanged(beforeCounterChange);
    }

    private void assertChanged(ReadOnlyStore store) {
        assertThatThrownBy(store::requireUnchanged).isInstanceOf(CommandFailure.class)
                .hasMessageContaining("was changed")
                .hasMessageContaining(file.toString());
    }
}
