package petstore.sql;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import petstore.Failure;

/// Connections to a PostgreSQL database that is fit for the store.
final class PostgresPool {

    /// How long the users of the connections may be kept waiting.
    enum Patience {
        /// Each step of a request has an end: when the database stands still it is answered within two seconds.
        REQUEST(Duration.ofMillis(600), Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofMillis(1_800)),
        /// A command may ask for much.
        COMMAND(Duration.ofSeconds(10), Duration.ofMinutes(10), Duration.ofHours(1), Duration.ofDays(1));

        /// How long to wait for a connection.
        private final Duration connection;
        /// How long to wait for a statement's answer.
        private final Duration statement;
        /// When the server ends a transaction whose owner may be gone, and with it its locks.
        private final Duration idleTransaction;
        /// How long the sender of a write waits for its commit.
        private final Duration commit;

        Patience(Duration connection, Duration statement, Duration idleTransaction, Duration commit) {
            this.connection = connection;
            this.statement = statement;
            this.idleTransaction = idleTransaction;
            this.commit = commit;
        }

        Duration commit() {
            return commit;
        }
    }

    /// Gives up a connection whose server was made a standby, so that the next one is made to the new primary.
    public static final class StandbyIsLeft implements SQLExceptionOverride {
        @java.lang.Override
        public SQLExceptionOverride.Override adjudicate(SQLException e) {
            return READ_ONLY.equals(e.getSQLState())
                    ? SQLExceptionOverride.Override.MUST_EVICT
                    : SQLExceptionOverride.Override.CONTINUE_EVICT;
        }
    }

    /// The state of a statement that writes on a standby.
    static final String READ_ONLY = "25006";

    private static final int CONNECT_SECONDS = 2;
    private static final Duration VALIDATION = Duration.ofMillis(250);
    /// The pool gives its first connection no longer than [#VALIDATION] for a statement, which a busy database may exceed.
    private static final int TRIES = 5;
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);
    private static final long MIGRATION_LOCK = 0x7065_7473_746F_7265L;
    /// New tables come beside those that there are, though another schema may be the first of the search path by now.
    private static final String STAY_IN_SCHEMA = "SELECT set_config('search_path', relnamespace::regnamespace::text, true)"
            + " FROM pg_class WHERE oid = to_regclass('schema_version')";
    /// Who waited for a lock has to see what was committed meanwhile, whatever the database or its user has for a default.
    private static final String READ_COMMITTED = "SET default_transaction_isolation = 'read committed'";

    /// What durability rests on. A compatible server need not have all of these settings.
    private static final List<String> NEVER_OFF = List.of("fsync", "full_page_writes", "synchronous_commit");

    private PostgresPool() {
    }

    /// Opens a pool of `size` connections, after seeing to the schema.
    ///
    /// Errors: [Failure] of kind `UNAVAILABLE` with a message for the operator.
    static HikariDataSource open(PostgresUri uri, Migrate migrate, Patience patience, int size) {
        prepare(uri, migrate);
        for (int left = TRIES - 1;; left--) {
            try {
                return connect(uri, patience, size);
            } catch (RuntimeException e) {
                if (left == 0) {
                    throw new Failure(Failure.Kind.UNAVAILABLE,
                            "the database " + uri + " cannot be used: " + e.getMessage(), e);
                }
            }
        }
    }

    private static HikariDataSource connect(PostgresUri uri, Patience patience, int size) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("petstore");
        PostgresSource source = new PostgresSource(uri.jdbcUrl(), properties(uri, patience.statement));
        config.setDataSource(source);
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(patience.connection.toMillis());
        config.setValidationTimeout(VALIDATION.toMillis());
        config.setKeepaliveTime(KEEP_ALIVE.toMillis());
        config.setExceptionOverride(new StandbyIsLeft());
        config.setConnectionInitSql(READ_COMMITTED + "; SET statement_timeout = " + patience.statement.toMillis()
                + "; SET idle_in_transaction_session_timeout = " + patience.idleTransaction.toMillis());
        return new HikariDataSource(config) {
            @Override
            public void close() {
                source.close();
                super.close();
            }
        };
    }

    private static Properties properties(PostgresUri uri, Duration statement) {
        Properties properties = uri.properties();
        properties.putIfAbsent("connectTimeout", String.valueOf(CONNECT_SECONDS));
        properties.setProperty("socketTimeout", String.valueOf(statement.toSeconds()));
        properties.setProperty("tcpKeepAlive", "true");
        // Of several hosts one that is silent takes all the time there is to connect: it must not be the first one every time.
        properties.setProperty("loadBalanceHosts",
                String.valueOf("primary".equals(properties.getProperty("targetServerType"))));
        // The driver would go on for ten seconds to take a standby for one after it was promoted.
        properties.setProperty("hostRecheckSeconds", "0");
        properties.setProperty("reWriteBatchedInserts", "true");
        return properties;
    }

    /// Migrations take as long as they take.
    private static void prepare(PostgresUri uri, Migrate migrate) {
        try (Session session = new Session(
                DriverManager.getConnection(uri.jdbcUrl(), properties(uri, Duration.ZERO)))) {
            for (String setting : NEVER_OFF) {
                if (session.text("SELECT coalesce(current_setting('" + setting + "', true), '')").equals("off")) {
                    throw Failure.unavailable("the database " + uri + " would not keep what it is given: its setting "
                            + setting + " is off");
                }
            }
            String encoding = session.text("SHOW server_encoding");
            if (!encoding.equals("UTF8")) {
                throw Failure.unavailable("the database " + uri + " cannot keep every name: its encoding is " + encoding
                        + "; make one with createdb --encoding=UTF8 --template=template0");
            }
            session.execute(READ_COMMITTED);
            Migrations.apply(migrate, Migrations.Dialect.POSTGRESQL, session, work -> session.inTransaction(locked -> {
                locked.text("SELECT pg_advisory_xact_lock(" + MIGRATION_LOCK + ")");
                locked.execute(STAY_IN_SCHEMA);
                return work.on(locked);
            }));
        } catch (SQLException e) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "the database " + uri + " cannot be used: " + advice(e), e);
        }
    }

    /// What the operator may do about it, by the SQLSTATE.
    private static String advice(SQLException e) {
        return e.getMessage() + switch (String.valueOf(e.getSQLState())) {
            case "28P01", "28000", "08004" ->
                "; the password comes from the address (--database or --to), PETSTORE_DATABASE_PASSWORD, PETSTORE_DATABASE_PASSWORD_FILE or the pgpass file";
            case "3D000" -> "; make it with createdb, or name another (--database or --to)";
            case "42501" -> "; the user must own the database, or be allowed to create tables in its schema";
            case "08001" -> "; see that it runs and that its address (--database or --to) is right";
            default -> "";
        };
    }
}
