package petstore.store.postgres;

import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.UnrecoverableKeyException;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.crypto.BadPaddingException;
import javax.net.ssl.SSLException;
import javax.security.auth.callback.UnsupportedCallbackException;

import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import petstore.CommandFailure;
import petstore.Failure;
import petstore.Failure.Unavailability;
import petstore.SafeText;
import petstore.store.Database;
import petstore.store.postgres.watch.Refusal;

/// Errors of PostgreSQL and its driver: their text, and whether they may pass by themselves. A start and a command wait for these, and end
/// at any other. The text and the stack trace have no value of a row, because it may be secret.
final class PostgresErrors {

    /// The server's file that refuses a query from which row-level security would hide rows.
    private static final String ROW_SECURITY = "rls.c";
    /// SQLSTATE `disk_full`.
    private static final String FULL_DISK = "53100";
    /// SQLSTATE `lock_not_available`.
    static final String LOCK = "55P03";
    /// The SQLSTATE of all errors of PgBouncer 1.18. Only their texts differ.
    private static final String POOLER = "08P01";
    private static final String PASSWORD_ADVICE = "; the password of --database or --to comes from"
            + " PETSTORE_DATABASE_PASSWORD, PETSTORE_DATABASE_PASSWORD_FILE, the pgpass file, or an address in"
            + " PETSTORE_DATABASE or PETSTORE_TO";
    private static final String OPTIONS = "unsupported startup parameter";
    private static final String NO_DATABASE = "no such database";
    private static final Pattern AUTHENTICATION = Pattern
            .compile("authentication failed|no such user|login rejected|empty password|no username");
    /// The driver's classes that read client keys and certificates. Their errors have the SQLSTATE of a broken connection.
    private static final Pattern KEY_MANAGER = Pattern.compile("org\\.postgresql\\.ssl\\..*KeyManager");

    /// SQLSTATEs and their classes that may pass: an address that moved, a server that became read-only, a deadlock, a lack of resources, a
    /// table or schema in use, and a server that is starting or stopping.
    private static final Set<String> PASSING = Set.of(PostgresHost.OTHER_SERVER, PostgresHost.READ_ONLY, "40", "53",
            LOCK,
            PostgresSchema.IN_USE, "57");
    /// The class of connections. A pooler without a server sends it; the driver has it for broken connections and for other protocols.
    private static final String CONNECTION = "08";

    private PostgresErrors() {
    }

    /// Returns true for malformed data and broken constraints, which are defects of the service. All other errors are the database's.
    static boolean isDefect(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return state.startsWith("22") || state.startsWith("23");
    }

    static String message(Throwable e) {
        if (e.getCause() instanceof SQLException cause) {
            return message(cause);
        }
        // The server's message of a defect would show the value.
        return e instanceof SQLException root && isDefect(root)
                ? "a value was rejected: SQLSTATE " + root.getSQLState() + place(root)
                : String.valueOf(e.getMessage());
    }

    private static String place(SQLException defect) {
        return server(defect).map(server -> (server.getTable() == null ? "" : ", table " + server.getTable())
                + (server.getConstraint() == null ? "" : ", constraint " + server.getConstraint())).orElse("");
    }

    /// Returns the message of an error and its cause on the network, e.g. `Read timed out`.
    static String detail(Throwable e) {
        return switch (e.getCause()) {
            case SQLException cause -> detail(cause);
            case SocketTimeoutException timeout -> message(e) + " " + timeout.getMessage();
            case null, default -> message(e);
        };
    }

    /// Returns the message of an error, and advice for the operator.
    static String reason(SQLException e) {
        SQLException root = root(e);
        String cause = switch (root.getCause()) {
            case EOFException _ ->
                " The server closes the connection: it may be starting or stopping, or the port may be of another program";
            case SocketTimeoutException _ ->
                " No response in time: the server or its synchronous standby may be down, or a pooler may have no free connection (default_pool_size, num_init_children)";
            case ConnectException _,UnknownHostException _,SSLException _ -> "";
            case IOException other -> " " + other.getMessage();
            case null, default -> "";
        };
        return message(root) + cause + switch (state(root)) {
            case "28P01", "28000" -> PASSWORD_ADVICE;
            // Also of a server without TLS.
            case "08004" -> message(root).contains("password") ? PASSWORD_ADVICE : "";
            case "3D000" -> "; make it with createdb, or name another (--database or --to)";
            case "42P07", "42710", "42723" ->
                "; another program has made it: use another database, or name another schema"
                        + PostgresSchema.BY_OPTIONS + "NAME";
            case "42501" -> server(root).filter(server -> ROW_SECURITY.equals(server.getFile())).isPresent()
                    ? "; it would hide rows: give the user BYPASSRLS, or disable row-level security on the store's tables"
                    : "; GRANT the privilege to the user, or let the user own the database";
            case "42P01" -> "; if it exists, GRANT USAGE of its schema to the user";
            case LOCK ->
                "; other sessions use the table, e.g. pg_dump, or another create waits for its standby: end them, or wait";
            case "08001" -> "; see that it runs and that its address (--database or --to) is right";
            case POOLER -> {
                if (refusesOptions(root)) {
                    yield "; add options to ignore_startup_parameters of PgBouncer";
                }
                yield server(root).isPresent() ? "" : "; the port may be of another program";
            }
            default -> "";
        };
    }

    /// Returns true for a PgBouncer that refuses the parameter `options` of an address. The service itself applies the search path in it.
    private static boolean refusesOptions(SQLException root) {
        return server(root).map(ServerErrorMessage::getMessage).filter(text -> text.contains(OPTIONS)).isPresent();
    }

    /// Returns the SQLSTATE. PgBouncer's errors for authentication and a missing database get those of PostgreSQL.
    static String state(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        String text = server(e).filter(_ -> state.equals(POOLER)).map(ServerErrorMessage::getMessage).orElse("");
        return text.startsWith(NO_DATABASE) ? "3D000" : AUTHENTICATION.matcher(text).find() ? "28000" : state;
    }

    /// Returns the refusal of a host that cannot be used.
    ///
    /// @param answered true if its server has answered before: a port that refuses connections is then of a server that restarts
    static Refusal refusal(SQLException e, boolean answered) {
        return new Refusal(reason(e), outlook(root(e), answered));
    }

    private static Refusal.Outlook outlook(SQLException root, boolean answered) {
        String state = state(root);
        boolean passes = root instanceof PostgresSession.UnknownOutcomeException
                || root instanceof SQLTransientException
                || PASSING.stream().anyMatch(state::startsWith)
                || (state.startsWith(CONNECTION) && server(root).isPresent() && !refusesOptions(root));
        return passes ? Refusal.Outlook.PASSING : ofNetwork(root.getCause(), answered);
    }

    private static Refusal.Outlook ofNetwork(@Nullable Throwable cause, boolean answered) {
        return switch (cause) {
            // A connection that ends during the handshake; a certificate has another cause.
            case SSLException tls -> ofNetwork(tls.getCause(), answered);
            case UnknownHostException _ -> Refusal.Outlook.DOUBTFUL;
            case ConnectException _ when !answered -> Refusal.Outlook.LASTING;
            case EOFException _,SocketException _,SocketTimeoutException _ -> Refusal.Outlook.UNREACHABLE;
            case null, default -> Refusal.Outlook.LASTING;
        };
    }

    /// Returns the same error with its [#reason] as the message; a [SQLTransientException] if it may pass by itself.
    private static SQLException explained(String place, SQLException e) {
        SQLException root = root(e);
        String reason = place + reason(root);
        Throwable cause = isDefect(root) ? null : root.getCause();
        SQLException explained = outlook(root, true) != Refusal.Outlook.LASTING
                ? new SQLTransientException(reason, root.getSQLState(), cause)
                : new SQLException(reason, root.getSQLState(), cause);
        explained.setStackTrace(root.getStackTrace());
        return explained;
    }

    /// @param host the host of the server
    static Failure ofRequest(String host, SQLException e) {
        SQLException explained = explained(host + ": ", e);
        if (isDefect(explained)) {
            return new Failure(Failure.Kind.INTERNAL_ERROR, "the database rejected a statement", explained);
        }
        boolean full = FULL_DISK.equals(explained.getSQLState());
        Unavailability known = full ? Unavailability.DISK_FULL : Unavailability.STATEMENT_FAILED;
        return new Failure(e instanceof PostgresSession.UnknownOutcomeException
                ? Unavailability.OUTCOME_UNKNOWN
                : known, Database.UNAVAILABLE, explained);
    }

    /// Returns an error with advice if the driver cannot read the client key of TLS, else the same error.
    ///
    /// @param file the parameter `sslkey`
    static SQLException ofConnection(SQLException e, Optional<String> file) {
        return Arrays.stream(e.getStackTrace()).findFirst()
                .filter(thrower -> KEY_MANAGER.matcher(thrower.getClassName()).matches())
                .flatMap(thrower -> findAdvice(e, thrower.getMethodName().equals("getPrivateKey"), file))
                .map(advice -> new SQLException(advice, e.getSQLState())).orElse(e);
    }

    private static Optional<String> findAdvice(SQLException e, boolean ofKey, Optional<String> file) {
        String key = "the client key" + file.map(path -> " " + path).orElse("");
        if (has(e, UnsupportedCallbackException.class)) {
            return Optional.of(key + " is encrypted; set its password with sslpassword");
        }
        if (has(e, BadPaddingException.class) || has(e, UnrecoverableKeyException.class)) {
            return Optional.of(key + " cannot be decrypted; check sslpassword");
        }
        return file.filter(path -> ofKey && new File(path).canRead()).map(path -> key
                + " cannot be read; set sslkey=" + path + ".pk8 after you have converted it: openssl pkcs8 -topk8 -in "
                + SafeText.word(path) + " -outform DER -out " + SafeText.word(path + ".pk8") + " -nocrypt");
    }

    private static boolean has(SQLException e, Class<? extends Exception> type) {
        return Stream.<Throwable>iterate(e, cause -> cause != null, Throwable::getCause).anyMatch(type::isInstance);
    }

    static RuntimeException cannotBeUsed(PostgresUri database, SQLException e) {
        SQLException explained = explained("", e);
        String message = "the database " + database + " cannot be used: " + explained.getMessage();
        return e instanceof PostgresSession.UnknownOutcomeException
                ? new Failure(Unavailability.OUTCOME_UNKNOWN, message, explained)
                : new CommandFailure(message, explained);
    }

    /// Returns the server's error for an error of a batch or of the pool.
    private static SQLException root(SQLException e) {
        return e.getCause() instanceof SQLException cause ? root(cause) : e;
    }

    /// Returns the message of a server; absent if none has sent this error.
    static Optional<ServerErrorMessage> server(SQLException e) {
        return root(e) instanceof PSQLException sql
                ? Optional.ofNullable(sql.getServerErrorMessage())
                : Optional.empty();
    }
}
