package petstore.store;

import java.sql.DriverManager;
import java.sql.SQLException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petstore.Failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A session after a statement failed on a full store, so that SQLite's driver has closed it.
class SessionTest {

    private static final int TOO_MANY = 1 << 20;

    private Session session;

    @BeforeEach
    void open() throws SQLException {
        session = new Session(DriverManager.getConnection("jdbc:sqlite::memory:"));
        session.execute("CREATE TABLE mark (content BLOB)");
        session.execute("PRAGMA max_page_count = 10");
    }

    @AfterEach
    void close() throws SQLException {
        session.close();
    }

    private void insert(int bytes) throws SQLException {
        session.prepare("INSERT INTO mark VALUES (zeroblob(?))", bytes).execute();
    }

    private void assertInserts() throws SQLException {
        insert(1);
        assertThat(session.number("SELECT count(*) FROM mark")).isEqualTo(1);
    }

    @Test
    void runsStatementAgainAfterItFailed() throws SQLException {
        assertThatThrownBy(() -> session.perform(Database.Work.of(_ -> insert(TOO_MANY))))
                .isInstanceOf(SQLException.class);
        assertInserts();
    }

    /// Work may throw another exception for the error of its statement, e.g. of a COMMIT whose outcome is unknown.
    @Test
    void runsStatementAgainAfterItsWorkFailedOtherwise() throws SQLException {
        assertThatThrownBy(() -> session.perform(Database.Work.of(_ -> {
            try {
                insert(TOO_MANY);
            } catch (SQLException e) {
                throw new Failure(Failure.Unavailability.OUTCOME_UNKNOWN, Database.UNAVAILABLE, e);
            }
        }))).isInstanceOf(Failure.class);
        assertInserts();
    }

    @Test
    void runsStatementAgainAfterItsCallerHandledTheError() throws SQLException {
        assertThatThrownBy(() -> insert(TOO_MANY)).isInstanceOf(SQLException.class);
        session.closeStatements();
        assertInserts();
    }
}
