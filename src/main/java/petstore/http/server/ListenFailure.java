package petstore.http.server;

import java.net.BindException;
import java.net.UnknownHostException;

import petstore.CommandFailure;

/// The reasons why an address cannot be listened on, and their remedies.
final class ListenFailure {

    private ListenFailure() {
    }

    static CommandFailure of(String host, int port, String optionPrefix, Exception e) {
        String reason = switch (e) {
            case UnknownHostException _ -> "the host is unknown; give an address of this machine";
            case BindException _ when String.valueOf(e.getMessage()).contains("in use") ->
                "this port is in use; 'ss -ltnp' shows by which program: stop that one, or choose another port with "
                        + optionPrefix + "port (0 for a free one)";
            case BindException _ -> "this machine does not have this address, or the port needs privileges";
            default -> String.valueOf(e.getMessage());
        };
        return new CommandFailure("cannot listen on " + ServerSettings.authority(host, port) + " ("
                + optionPrefix + "host, " + optionPrefix + "port): " + reason, e);
    }
}
