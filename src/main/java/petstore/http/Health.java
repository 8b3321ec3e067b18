package petstore.http;

import java.nio.charset.StandardCharsets;

import petstore.Failure;
import petstore.http.message.Request;
import petstore.http.message.Response;

/// The endpoints for liveness and readiness.
public final class Health {

    private static final String CONDITIONS = """
            [+] the service is not stopping
            [+] the store can be reached
            [+] the store can be written
            [+] the store's schema is that of this version, or a newer one
            ready
            """;

    private final Runnable storeCheck;
    private final String version;
    private volatile boolean stopping;

    /// @param storeCheck throws [petstore.Failure] if the store cannot be used
    /// @param version the version of the service, for operators
    public Health(Runnable storeCheck, String version) {
        this.storeCheck = storeCheck;
        this.version = version;
    }

    /// Returns 200 while the process runs.
    Response livez(Request request) {
        return status("live", "");
    }

    /// Makes the service unready.
    public void stop() {
        stopping = true;
    }

    /// Returns 200 while the store can be used and the service is not stopping, else 503. With `?verbose`, lists the conditions.
    ///
    /// @param withVersion true for operators, who see the version and the commit of the service
    Response readyz(Request request, boolean withVersion) {
        if (stopping) {
            throw Failure.unavailable("the service is stopping");
        }
        storeCheck.run();
        if ("verbose".equals(request.head().query())) {
            String text = (withVersion ? "version " + version + "\n" : "") + CONDITIONS;
            return Response.ok("text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8), Response.NO_STORE);
        }
        return status("ready", withVersion ? ",\"version\":\"" + version + "\"" : "");
    }

    /// @param member a further member of the JSON object, after a comma; empty for none
    private static Response status(String status, String member) {
        return Response.json(200, ("{\"status\":\"" + status + "\"" + member + "}").getBytes(StandardCharsets.UTF_8),
                Response.NO_STORE);
    }
}
