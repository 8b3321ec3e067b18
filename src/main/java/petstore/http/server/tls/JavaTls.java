package petstore.http.server.tls;

import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;

/// The set-up of Java's TLS.
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

    /// Returns the context of a client that accepts any certificate.
    public static SSLContext trustingAny() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        return context;
    }
}
