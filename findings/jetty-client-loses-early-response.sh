#!/bin/sh
# Jetty 12.1.14 (jetty-http2-client-transport), beside OkHttp 5.3.0 and Vert.x 5.0.7 (Maven Central), HTTP/2, Java 17 and 25.
# Guess: a client returns the whole 413 of a server that does not read the rest of a body, and then resets the stream with NO_ERROR.
# Seen: Jetty throws an IOException, mostly EofException, and the response is lost. RFC 9113, section 8.1, says that a client must not
# discard the response because of such a reset. The other two return it.
# Needs Java 17 or later, Maven, Node.js 20 or later and OpenSSL. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap '[ ! -f "$folder/pid" ] || kill "$(cat "$folder/pid")" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
cat > pom.xml <<'END'
<project xmlns="http://maven.apache.org/POM/4.0.0">
    <modelVersion>4.0.0</modelVersion>
    <groupId>finding</groupId>
    <artifactId>finding</artifactId>
    <version>1</version>
    <dependencies>
        <dependency><groupId>org.eclipse.jetty.http2</groupId><artifactId>jetty-http2-client-transport</artifactId><version>12.1.14</version></dependency>
        <dependency><groupId>com.squareup.okhttp3</groupId><artifactId>okhttp-jvm</artifactId><version>5.3.0</version></dependency>
        <dependency><groupId>io.vertx</groupId><artifactId>vertx-core</artifactId><version>5.0.7</version></dependency>
        <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-nop</artifactId><version>2.0.17</version></dependency>
    </dependencies>
</project>
END
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory=lib > maven.log 2>&1 || { cat maven.log; exit 2; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out certificate.pem -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -days 2 2> openssl.log
cat > server.mjs <<'END'
import { readFileSync, writeFileSync } from 'node:fs';
import { constants, createSecureServer } from 'node:http2';

const server = createSecureServer({ key: readFileSync('key.pem'), cert: readFileSync('certificate.pem') });
server.on('stream', (stream) => {
    stream.on('error', () => {});
    stream.respond({ ':status': 413 });
    stream.end('too large', () => stream.close(constants.NGHTTP2_NO_ERROR));
});
server.listen(0, () => writeFileSync('port', String(server.address().port)));
END
node server.mjs &
echo $! > pid
for i in $(seq 100); do
    [ -s port ] && break || sleep 0.1
done
cat > Post.java <<'END'
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.HttpClientTransportOverHTTP2;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;

class Post {
    private static final byte[] BODY = new byte[5_000_000];

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        String url = "https://localhost:" + port + "/orders";
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null);
        try (InputStream certificate = new FileInputStream("certificate.pem")) {
            trusted.setCertificateEntry("server", CertificateFactory.getInstance("X.509").generateCertificate(certificate));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, trust.getTrustManagers(), null);
        show("OkHttp", () -> {
            var client = new OkHttpClient.Builder().sslSocketFactory(tls.getSocketFactory(), (X509TrustManager) trust.getTrustManagers()[0]);
            try (var response = client.build().newCall(new Request.Builder().url(url).post(RequestBody.create(BODY)).build()).execute()) {
                return response.code() + " " + response.body().string();
            }
        });
        show("Vert.x", () -> Vertx.vertx()
                .createHttpClient(new HttpClientOptions().setSsl(true).setTrustAll(true).setUseAlpn(true)
                        .setProtocolVersion(HttpVersion.HTTP_2))
                .request(HttpMethod.POST, port, "localhost", "/orders")
                .compose(request -> request.send(Buffer.buffer(BODY)))
                .compose(response -> response.body().map(body -> response.statusCode() + " " + body))
                .toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS));
        show("Jetty", () -> {
            ClientConnector connector = new ClientConnector();
            connector.setSslContextFactory(new SslContextFactory.Client(true));
            var client = new org.eclipse.jetty.client.HttpClient(new HttpClientTransportOverHTTP2(new HTTP2Client(connector)));
            client.start();
            var response = client.newRequest(url).method("POST").body(new BytesRequestContent(BODY)).timeout(30, TimeUnit.SECONDS).send();
            return response.getStatus() + " " + response.getContentAsString();
        });
        Runtime.getRuntime().halt(0);
    }

    private static void show(String client, Callable<String> post) throws Exception {
        try {
            System.out.println(client + ": " + post.call());
        } catch (ExecutionException e) {
            System.out.println(client + ": " + (e.getCause() instanceof IOException ? "IOException" : e.getCause()));
        }
    }
}
END
java -cp 'lib/*' Post.java "$(cat port)" 2> warnings | tee seen || cat warnings
cmp - seen <<'END'
OkHttp: 413 too large
Vert.x: 413 too large
Jetty: IOException
END
