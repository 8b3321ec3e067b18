package petstore.store.postgres;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.Set;
import javax.net.ssl.SSLException;

import org.jspecify.annotations.Nullable;
import petstore.store.postgres.watch.Refusal;

/// Finds the failures that may pass by themselves. A start and a command wait for these, and end at any other.
final class PassingFailures {

    /// SQLSTATEs and their classes: an address that moved, a server that became read-only, a deadlock, a lack of resources, a table or
    /// schema in use, and a server that is starting or stopping.
    private static final Set<String> PASSING = Set.of(PostgresHost.OTHER_SERVER, PostgresHost.READ_ONLY, "40", "53",
            "55P03", PostgresSchema.IN_USE, "57");
    /// The class of connections. A pooler without a server sends it; the driver has it for broken connections and for other protocols.
    private static final String CONNECTION = "08";

    private PassingFailures() {
    }

    /// Returns the refusal of a host that cannot be used.
    ///
    /// @param answered true if its server has answered before: a port that refuses connections is then of a server that restarts
    static Refusal refusal(SQLException e, boolean answered) {
        SQLException root = PostgresErrors.root(e);
        return new Refusal(PostgresErrors.reason(root), outlook(root, answered));
    }

    static Refusal.Outlook outlook(SQLException root, boolean answered) {
        String state = PostgresErrors.state(root);
        boolean passes = root instanceof PostgresSession.UnknownOutcomeException
                || root instanceof SQLTransientException
                || PASSING.stream().anyMatch(state::startsWith)
                || (state.startsWith(CONNECTION) && PostgresErrors.server(root).isPresent());
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
}
