package petstore.http;

import java.nio.charset.StandardCharsets;

import petstore.Failure;
import petstore.http.message.Request;
import petstore.http.message.Response;

/// The endpoints for liveness and readiness.
public final class Health {

    /// The conditions of readiness.
    private static final byte[] CONDITIONS = """
            [+] the service is not stopping
            [+] the store can be reached
            [+] the store can be written
            [+] the store's schema is that of this version, or a newer one
            ready
            """.getBytes(StandardCharsets.UTF_8);

    private final Runnable storeCheck;
    private volatile boolean stopping;

    /// @param storeCheck throws [petstore.Failure] if the store cannot be used
    public Health(Runnable storeCheck) {
        this.storeCheck = storeCheck;
    }

    /// Returns 200 while the process runs.
    Response livez(Request request) {
        return status("live");
    }

    /// Makes the service unready.
    public void stop() {
        stopping = true;
    }

    /// Returns 200 while the store can be used and the service is not stopping, else 503. With `?verbose`, lists the conditions.
    Response readyz(Request request) {
        if (stopping) {
            throw Failure.unavailable("the service is stopping");
        }
        storeCheck.run();
        return "verbose".equals(request.query())
                ? Response.ok("text/plain; charset=utf-8", CONDITIONS, Response.NO_STORE)
                : status("ready");
    }

    private static Response status(String status) {
        return Response.json(200, ("{\"status\":\"" + status + "\"}").getBytes(StandardCharsets.UTF_8),
                Response.NO_STORE);
    }
}
