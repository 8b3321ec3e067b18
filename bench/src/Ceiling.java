import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

/// A bare server on the service's HTTP library. It sends one constant response to every GET, and one to every POST once the body is
/// complete. It checks no key and stores nothing. Its listener has the service's options, but the library encodes and flushes the
/// responses by its defaults.
///
/// Usage: Ceiling PORT FOLDER. The files GET and POST in FOLDER have responses of the service.
final class Ceiling extends VerticleBase {

    private record Header(CharSequence name, CharSequence value) {
    }

    /// A captured response, with its date and request id.
    private record Constant(int status, List<Header> headers, Buffer body) {

        static Constant read(Path file) throws IOException {
            if (!Files.exists(file)) {
                return new Constant(404, List.of(), Buffer.buffer());
            }
            String text = Files.readString(file, StandardCharsets.ISO_8859_1);
            int end = text.indexOf("\r\n\r\n");
            List<String> lines = text.substring(0, end).lines().toList();
            return new Constant(Integer.parseInt(lines.getFirst().split(" ")[1]),
                    lines.stream().skip(1).map(line -> line.split(": ", 2))
                            .map(pair -> new Header(HttpHeaders.createOptimized(pair[0]),
                                    HttpHeaders.createOptimized(pair[1])))
                            .toList(),
                    Buffer.buffer(text.substring(end + 4).getBytes(StandardCharsets.ISO_8859_1)));
        }

        void send(HttpServerResponse response) {
            response.setStatusCode(status);
            headers.forEach(header -> response.headers().add(header.name(), header.value()));
            response.end(body);
        }
    }

    private final int port;
    private final Constant get;
    private final Constant post;

    private Ceiling(int port, Path folder) throws IOException {
        this.port = port;
        this.get = Constant.read(folder.resolve("GET"));
        this.post = Constant.read(folder.resolve("POST"));
    }

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        Path folder = Path.of(arguments[1]);
        Vertx vertx = Vertx.vertx(new VertxOptions().setFileSystemOptions(
                new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
        vertx.deployVerticle(() -> {
            try {
                return new Ceiling(port, folder);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }, new DeploymentOptions().setInstances(Runtime.getRuntime().availableProcessors())).await();
    }

    @Override
    public Future<?> start() {
        return vertx.createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(false).setStrictThreadMode(true)
                .setPerMessageWebSocketCompressionSupported(false).setPerFrameWebSocketCompressionSupported(false)
                .setMaxHeaderSize(8 * 1024).setMaxInitialLineLength(4 * 1024))
                .requestHandler(this::respond).listen(port, "127.0.0.1");
    }

    private void respond(HttpServerRequest request) {
        if (request.method().equals(HttpMethod.POST)) {
            request.body().onSuccess(_ -> post.send(request.response()));
        } else {
            get.send(request.response());
        }
    }
}
