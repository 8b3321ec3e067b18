package petstore.http.server.tls;

import java.nio.file.Path;

/// Two files in PEM form.
///
/// @param certificate the server's certificate, followed by its chain to a certificate that clients trust
/// @param key the private key of the first certificate, not encrypted
public record TlsFiles(Path certificate, Path key) {
}
