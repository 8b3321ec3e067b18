package petstore.http;

import java.nio.charset.StandardCharsets;

import petstore.Failure;
import petstore.http.message.Request;
import petstore.http.message.Response;

/// Whether the process lives, and whether it can serve.
public final class Health {

    /// What is true whenever the service is ready.
    private static final byte[] CHECKED = """
            [+] the service is not stopping
            [+] the store can be reached
            [+] the store can be written
            [+] the store's schema is that of this version, or a newer one
            ready
            """.getBytes(StandardCharsets.UTF_8);

    private final Runnable storeCheck;
    private volatile boolean stopping;

    /// @param storeCheck throws [petstore.Failure] when the store cannot be used
    public Health(Runnable storeCheck) {
        this.storeCheck = storeCheck;
    }

    /// 200 while the process answers at all.
    Response livez(Request request) {
        return status("live");
    }

    /// Makes the service say that it is not ready any more.
    public void stop() {
        stopping = true;
    }

    /// 200 while the store can be used and the service is not stopping, else 503. With `?verbose` a person reads what was looked
    /// at.
    Response readyz(Request request) {
        if (stopping) {
            throw Failure.unavailable("the service is stopping");
        }
        storeCheck.run();
        return "verbose".equals(request.query())
                ? Response.ok("text/plain; charset=utf-8", CHECKED, Response.NO_STORE)
                : status("ready");
    }

    private static Response status(String status) {
        return Response.json(200, ("{\"status\":\"" + status + "\"}").getBytes(StandardCharsets.UTF_8),
                Response.NO_STORE);
    }
}
