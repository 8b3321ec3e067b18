package petstore.http.server.tls;

/// The options of Java's TLS for a server.
public final class JavaTls {

    private JavaTls() {
    }

    /// Sets the options. Java reads them when TLS is first used, also by a client.
    public static void configure() {
        // A handshake costs the service a thousand times as much as the client.
        System.getProperties().putIfAbsent("jdk.tls.rejectClientInitiatedRenegotiation", "true");
        // One certificate serves all names. Java would refuse names with an underscore.
        System.getProperties().putIfAbsent("jdk.tls.server.disableExtensions", "server_name");
    }
}
