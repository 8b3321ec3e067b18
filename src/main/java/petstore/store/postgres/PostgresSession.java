package petstore.store.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLWarning;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petstore.store.Database;
import petstore.store.Session;

/// A session of PostgreSQL. Its server connection has a random mark. So a pooler that spreads the statements of a session over several
/// server connections is noticed before a transaction commits.
final class PostgresSession extends Session {

    /// The mark of a connection was not found on the server connection that ran its statement.
    static final class TransactionPoolingException extends SQLException {
        private static final long serialVersionUID = 1L;

        TransactionPoolingException() {
            super("a pooler in front of the database gives a session no server connection of its own; set"
                    + " pool_mode = session and keep server_reset_query = DISCARD ALL (PgBouncer),"
                    + " or set load_balance_mode = off (pgpool-II)");
        }
    }

    /// A COMMIT of which the server or the connection does not tell whether it succeeded.
    static class UnknownOutcomeException extends SQLException {
        private static final long serialVersionUID = 1L;

        UnknownOutcomeException(SQLException cause) {
            this(PostgresErrors.reason(cause), cause.getSQLState());
        }

        private UnknownOutcomeException(String reason, @Nullable String state) {
            super("the outcome of a COMMIT is unknown: " + reason, state);
        }
    }

    /// A new animal got an id that was used before: an older state of the database was restored meanwhile.
    static final class UsedIdException extends UnknownOutcomeException {
        private static final long serialVersionUID = 1L;

        UsedIdException(long id, long usedId) {
            super("the id " + id + " is not above " + usedId + ", which was used before", null);
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(PostgresSession.class);
    /// The SQLSTATE classes of a connection, of a server process that was ended, and of a failed disk, which ends the server.
    private static final Set<String> UNKNOWN = Set.of("08", "57P", "58");
    /// SQL that yields the mark of the server connection, an empty text if it has none.
    static final String MARK = "coalesce(current_setting('petstore.mark', true), '')";
    static final String SELECT_MARK = "SELECT " + MARK;
    /// A transaction that changes nothing has no id. Its COMMIT waits for neither the disk nor the standby.
    private static final String SELECT_MARK_AND_CHANGE = SELECT_MARK + ", txid_current_if_assigned() IS NOT NULL";

    /// The server's file whose warnings say that a commit did not wait for its synchronous standby.
    private static final String STANDBY_WAIT = "syncrep.c";
    /// SQLSTATE `no_active_sql_transaction`.
    private static final String NO_TRANSACTION = "25P01";
    /// A synchronous standby that does not confirm a COMMIT by then may be gone.
    private static final Duration COMMIT_LIMIT = Duration.ofSeconds(10);

    private final String mark;
    private long usedId;
    private boolean committed;

    /// @param usedId the greatest id that is known to be used
    PostgresSession(Connection connection, String mark, long usedId) {
        super(connection);
        this.mark = mark;
        this.usedId = usedId;
    }

    String mark() {
        return mark;
    }

    /// Throws [TransactionPoolingException] if `found`, the [#MARK] of a statement's server connection, is not this session's.
    void requireMark(String found) throws TransactionPoolingException {
        if (!mark.equals(found)) {
            throw new TransactionPoolingException();
        }
    }

    /// Throws [TransactionPoolingException] if a statement of this session reaches another server connection.
    void requireOwnServer() throws SQLException {
        requireMark(text(SELECT_MARK));
    }

    /// Limits the time of each later statement and COMMIT; zero for no limit.
    void limit(Duration time) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(time.toMillis()));
    }

    /// Records the ids of new animals, which are committed if the work succeeds. Errors: [UsedIdException] if they are not above those
    /// used before.
    void used(long firstId, int count) throws UsedIdException {
        if (firstId <= usedId) {
            throw new UsedIdException(firstId, usedId);
        }
        usedId = firstId + count - 1;
        committed = true;
    }

    long usedId() {
        return usedId;
    }

    /// Returns true if this session has committed a change, which proves that its server commits durably.
    boolean hasCommitted() {
        return committed;
    }

    /// Runs `work` in one transaction. If the session's limit is longer, COMMIT gets the time of the statements before it and ten seconds.
    ///
    /// Errors: `SQLException`, an [UnknownOutcomeException] if the commit may be missing on the standby.
    <T> T inTransaction(Database.Work<T> work) throws SQLException {
        connection.setAutoCommit(false);
        connection.clearWarnings();
        long beganNs = System.nanoTime();
        T result;
        boolean changed;
        try {
            result = work.on(this);
            changed = rows(SELECT_MARK_AND_CHANGE, row -> {
                requireMark(row.getString(1));
                return row.getBoolean(2);
            }).getFirst();
        } catch (SQLException | RuntimeException | Error e) {
            rollBack(e);
            throw e;
        }
        Duration limit = Duration.ofMillis(connection.getNetworkTimeout());
        Duration ofCommit = Duration.ofNanos(System.nanoTime() - beganNs).plus(COMMIT_LIMIT);
        boolean isCut = limit.isZero() || limit.compareTo(ofCommit) > 0;
        if (isCut) {
            limit(ofCommit);
        }
        commit(() -> {
            connection.commit();
            return connection.getWarnings();
        });
        committed |= changed;
        try {
            if (isCut) {
                limit(limit);
            }
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            // The connection was aborted after the commit.
        }
        return result;
    }

    /// A statement that commits. Returns its warnings.
    @FunctionalInterface
    interface Commit {
        @Nullable
        SQLWarning run() throws SQLException;
    }

    /// Commits. Errors: `SQLException` if nothing was committed, [UnknownOutcomeException] if it cannot be known.
    static void commit(Commit commit) throws SQLException {
        SQLWarning warnings;
        try {
            warnings = commit.run();
        } catch (SQLException e) {
            throw isUnknown(e) ? new UnknownOutcomeException(e) : e;
        }
        requireKnownOutcome(warnings);
    }

    /// Returns true if the error ended the connection, too: the driver adds that to an error of any class, e.g. if the disk of the server's
    /// log is full.
    private static boolean isUnknown(SQLException e) {
        return Stream.<SQLException>iterate(e, each -> each != null, SQLException::getNextException)
                .map(each -> String.valueOf(each.getSQLState()))
                .anyMatch(state -> UNKNOWN.stream().anyMatch(state::startsWith));
    }

    /// Throws [UnknownOutcomeException] if a warning of a commit tells so: the standby may lack it, or no transaction was open. Other
    /// warnings, e.g. of triggers, do not count. Texts and severities are translated, so they are not read.
    static void requireKnownOutcome(@Nullable SQLWarning warnings) throws SQLException {
        for (SQLWarning warning = warnings; warning != null; warning = warning.getNextWarning()) {
            boolean ofStandby = warning instanceof PSQLWarning server
                    && STANDBY_WAIT.equals(server.getServerErrorMessage().getFile());
            if (ofStandby) {
                throw new UnknownOutcomeException(
                        "the synchronous standby has not confirmed it; check that it is running",
                        warning.getSQLState());
            }
            if (NO_TRANSACTION.equals(warning.getSQLState())) {
                throw new UnknownOutcomeException(warning);
            }
        }
    }

    private void rollBack(Throwable cause) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    void abort() {
        abort(connection);
    }

    /// Closes a connection at once, also if another thread waits for its response.
    static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            LOG.debug("closing failed: {}", PostgresErrors.message(e));
        }
    }

    @Override
    public synchronized void close() {
        try {
            super.close();
        } catch (SQLException | RuntimeException e) {
            LOG.debug("closing failed: {}", PostgresErrors.message(e));
        }
    }
}
