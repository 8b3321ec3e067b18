package petstore.http.server;

import java.net.BindException;
import java.net.UnknownHostException;

import petstore.CommandFailure;

/// The reasons why an address cannot be listened on, and their remedies.
public final class ListenFailure {

    private ListenFailure() {
    }

    public static final class PortInUseException extends Exception {
        private static final long serialVersionUID = 1L;
        public final String host;
        public final int port;
        /// The option that chooses the port.
        public final String option;

        PortInUseException(String host, int port, String option, Exception cause) {
            super("this port is in use", cause);
            this.host = host;
            this.port = port;
            this.option = option;
        }
    }

    static CommandFailure of(String host, int port, String optionPrefix, Exception e) {
        Exception cause = isPortInUse(e) ? new PortInUseException(host, port, optionPrefix + "port", e) : e;
        String reason = switch (cause) {
            case UnknownHostException _ -> "the host is unknown; give an address of this machine";
            case BindException _ -> "this machine does not have this address, or the port needs privileges";
            default -> String.valueOf(cause.getMessage());
        };
        return new CommandFailure("cannot listen on " + ServerSettings.authority(host, port) + " ("
                + optionPrefix + "host, " + optionPrefix + "port): " + reason, cause);
    }

    /// Returns true if an address cannot be listened on because its port is in use.
    public static boolean isPortInUse(Exception e) {
        return e instanceof BindException && String.valueOf(e.getMessage()).contains("in use");
    }
}
