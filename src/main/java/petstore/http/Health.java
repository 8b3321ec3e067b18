package petstore.http;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import petstore.Failure;
import petstore.http.message.Errors;
import petstore.http.message.Request;
import petstore.http.message.Response;

/// The endpoints for liveness and readiness.
public final class Health {

    private final Runnable storeCheck;
    private final String version;
    private final UnavailabilityLog unavailability;
    private volatile boolean stopping;

    /// @param storeCheck throws [petstore.Failure] if the store cannot be used
    public Health(Runnable storeCheck, String version, UnavailabilityLog unavailability) {
        this.storeCheck = storeCheck;
        this.version = version;
        this.unavailability = unavailability;
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
    /// @param ofOperator true for operators, who see the version and the commit of the service, and the whole reason
    Response readyz(Request request, boolean ofOperator) {
        boolean verbose = "verbose".equals(request.head().query());
        boolean isStopping = stopping;
        Optional<Failure> store = isStopping && !verbose ? Optional.empty() : storeFailure();
        Optional<Failure> failure = isStopping
                ? Optional.of(new Failure(Failure.Unavailability.STOPPING, "the service is stopping"))
                : store;
        store.ifPresent(cause -> unavailability.log(request.head(), cause));
        Optional<String> reason = failure.map(cause -> ofOperator ? cause.explanation() : cause.getMessage());
        Response response = failure.map(cause -> Errors.response(cause, reason.orElseThrow()))
                .orElseGet(() -> status("ready", ofOperator ? ",\"version\":\"" + version + "\"" : ""));
        if (verbose) {
            return response.withBody("text/plain; charset=utf-8", (ofOperator ? "version " + version + "\n" : "")
                    + conditions(isStopping ? '-' : '+', store.isPresent() ? '-' : '+')
                    + reason.map(why -> "not ready: " + why).orElse("ready") + "\n");
        }
        return response;
    }

    private static String conditions(char service, char store) {
        return """
                [%1$c] the service is not stopping
                [%2$c] the store can be reached
                [%2$c] the store can be written
                [%2$c] the store's schema is that of this version, or a newer one
                """.formatted(service, store);
    }

    private Optional<Failure> storeFailure() {
        try {
            storeCheck.run();
            return Optional.empty();
        } catch (Failure e) {
            if (e.kind() != Failure.Kind.UNAVAILABLE) {
                throw e;
            }
            return Optional.of(e);
        }
    }

    /// @param member a further member of the JSON object, after a comma; empty for none
    private static Response status(String status, String member) {
        return Response.json(200, ("{\"status\":\"" + status + "\"" + member + "}").getBytes(StandardCharsets.UTF_8),
                Response.NO_STORE);
    }
}
