#!/bin/sh
# OpenJDK 17.0.20 and 25.0.3 (seen on Debian 12), Linux.
# Guess: after a read has timed out, SSLSocket.close() returns at once, with any version of TLS.
# Seen: with TLS 1.3 it reads again, for as long as the timeout of a read (setSoTimeout). With TLS 1.2 it returns at once. So a JDBC
# driver whose server falls silent reports the timeout after twice the time. With a timeout of 0 close() does not wait.
# Needs Java 17 or later. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
keytool -genkeypair -keyalg EC -alias server -dname CN=localhost -keystore keys.p12 -storepass password > /dev/null 2>&1
cat > Close.java <<'END'
import java.net.SocketTimeoutException;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

class Close {
    public static void main(String[] arguments) throws Exception {
        for (String version : new String[]{"TLSv1.2", "TLSv1.3"}) {
            for (int atClose : new int[]{1_000, 0}) {
                System.out.println(version + ", timeout of " + atClose + " ms at close(): " + close(version, atClose) + " s");
            }
        }
    }

    /// Returns the seconds that close() takes, in whole seconds, after a read of one second has timed out.
    private static long close(String version, int timeoutMs) throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        try (SSLServerSocket listening = (SSLServerSocket) SSLServerSocketFactory.getDefault().createServerSocket(0)) {
            Thread server = new Thread(() -> {
                try (SSLSocket silent = (SSLSocket) listening.accept()) {
                    silent.startHandshake();
                    done.await();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            server.start();
            SSLSocket client = (SSLSocket) SSLSocketFactory.getDefault().createSocket("localhost", listening.getLocalPort());
            client.setEnabledProtocols(new String[]{version});
            client.startHandshake();
            client.setSoTimeout(1_000);
            try {
                client.getInputStream().read();
            } catch (SocketTimeoutException e) {
                client.setSoTimeout(timeoutMs);
            }
            long beganNs = System.nanoTime();
            client.close();
            long seconds = Math.round((System.nanoTime() - beganNs) / 1e9);
            done.countDown();
            server.join();
            return seconds;
        }
    }
}
END
seen=$(java -Djavax.net.ssl.keyStore=keys.p12 -Djavax.net.ssl.keyStorePassword=password -Djavax.net.ssl.trustStore=keys.p12 \
    -Djavax.net.ssl.trustStorePassword=password Close.java)
echo "$seen"
[ "$seen" = "TLSv1.2, timeout of 1000 ms at close(): 0 s
TLSv1.2, timeout of 0 ms at close(): 0 s
TLSv1.3, timeout of 1000 ms at close(): 1 s
TLSv1.3, timeout of 0 ms at close(): 0 s" ]
