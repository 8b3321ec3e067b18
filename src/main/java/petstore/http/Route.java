package petstore.http;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

import petstore.Failure;
import petstore.Scope;
import petstore.http.message.Header;
import petstore.http.message.QueryParameters;
import petstore.http.message.Request;
import petstore.http.message.Response;

/// A row of the route table.
///
/// @param method the method; `GET` includes HEAD
/// @param path the path, whose last segment may be a parameter: `/v1/pets/{petId}`
/// @param scope the scope that the API key needs; absent for a route without authentication
/// @param operation returns the response. It is called on the event loop and does not block. A [Failure], thrown or in the future,
/// becomes the response; another exception becomes a 500.
public record Route(String method, String path, Optional<Scope> scope,
        Function<Request, CompletableFuture<Response>> operation, List<Header> headers) {

    /// Returns a route without authentication.
    ///
    /// @param threads run `work`, which may block
    static Route open(String path, Executor threads, Function<Request, Response> work) {
        return new Route("GET", path, Optional.empty(),
                request -> CompletableFuture.supplyAsync(() -> work.apply(request), threads), List.of());
    }

    boolean accepts(String requested) {
        return method.equals(requested) || (method.equals("GET") && requested.equals("HEAD"));
    }

    boolean readsBody() {
        return method.equals("POST");
    }

    /// Returns the value of the path's parameter, empty if it has none; absent if `requested` is another path.
    Optional<String> match(String requested) {
        int parameterAt = path.indexOf('{');
        if (parameterAt < 0) {
            return path.equals(requested) ? Optional.of("") : Optional.empty();
        }
        boolean matches = requested.length() > parameterAt && requested.startsWith(path.substring(0, parameterAt))
                && requested.indexOf('/', parameterAt) < 0;
        // A plus sign means a space only in a query.
        return matches
                ? Optional.of(QueryParameters.decode(requested.substring(parameterAt).replace("+", "%2B")))
                : Optional.empty();
    }
}
