#!/bin/sh
# Apache HttpClient 5.6 and OkHttp 5.3.0 (Maven Central), Java 25.
# Guess: without further configuration a client repeats no POST that has got a response, because a POST may act twice (RFC 9110, 9.2.2).
# Seen: Apache HttpClient repeats it once after 429 and 503, and asks for idempotence only if the connection failed. OkHttp repeats it
# after 408, and after 503 with "Retry-After: 0". A 503 that says nothing about the outcome so becomes a second order.
# Needs Java 17 or later and Maven. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > pom.xml <<'END'
<project xmlns="http://maven.apache.org/POM/4.0.0">
    <modelVersion>4.0.0</modelVersion>
    <groupId>finding</groupId>
    <artifactId>finding</artifactId>
    <version>1</version>
    <dependencies>
        <dependency><groupId>org.apache.httpcomponents.client5</groupId><artifactId>httpclient5</artifactId><version>5.6</version></dependency>
        <dependency><groupId>com.squareup.okhttp3</groupId><artifactId>okhttp-jvm</artifactId><version>5.3.0</version></dependency>
        <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-nop</artifactId><version>1.7.36</version></dependency>
    </dependencies>
</project>
END
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory=lib > maven.log 2>&1 || { cat maven.log; exit 2; }
cat > Post.java <<'END'
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpServer;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request.Builder;
import okhttp3.RequestBody;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.StringEntity;

class Post {
    private interface Client {
        void post(String url) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        for (int status : new int[]{408, 409, 429, 500, 502, 503, 504}) {
            System.out.println(status + ": Apache HttpClient sends " + requests(status, Post::apache) + ", OkHttp "
                    + requests(status, Post::okHttp));
        }
        System.exit(0);
    }

    /// Returns how many requests arrive for one POST that gets this status.
    private static int requests(int status, Client client) throws Exception {
        AtomicInteger requests = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().set("Retry-After", "0");
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
        client.post("http://localhost:" + server.getAddress().getPort() + "/orders");
        server.stop(0);
        return requests.get();
    }

    private static void apache(String url) throws Exception {
        try (CloseableHttpClient client = HttpClients.createDefault()) {
            HttpPost request = new HttpPost(url);
            request.setEntity(new StringEntity("{}", ContentType.APPLICATION_JSON));
            client.execute(request, response -> null);
        }
    }

    private static void okHttp(String url) throws Exception {
        RequestBody body = RequestBody.create("{}", MediaType.get("application/json"));
        new OkHttpClient().newCall(new Builder().url(url).post(body).build()).execute().close();
    }
}
END
java -cp 'lib/*' Post.java | tee seen
cmp - seen <<'END'
408: Apache HttpClient sends 1, OkHttp 2
409: Apache HttpClient sends 1, OkHttp 1
429: Apache HttpClient sends 2, OkHttp 1
500: Apache HttpClient sends 1, OkHttp 1
502: Apache HttpClient sends 1, OkHttp 1
503: Apache HttpClient sends 2, OkHttp 2
504: Apache HttpClient sends 1, OkHttp 1
END
