package petstore.http;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import petstore.Failure;
import petstore.Failure.Kind;
import petstore.Scope;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.QueryParameters;
import petstore.http.message.Request;
import petstore.http.message.Response;

/// The route table of a listener.
///
/// @param directions the end of the message for unknown paths
public record Routes(List<Route> table, String directions) {

    /// The process lives while no thread can be started.
    private static final Executor NO_THREAD = Runnable::run;
    private static final String METRICS_FORMAT = "text/plain; version=0.0.4; charset=utf-8";

    /// A row of the route table.
    ///
    /// @param method the method; `GET` includes HEAD
    /// @param path the path, whose last segment may be a parameter: `/v1/pets/{petId}`
    /// @param scope the scope that the API key needs; absent for a route without authentication
    /// @param operation returns the response. It does not block, because the event loop may call it. A [Failure], thrown or in the future,
    /// becomes the response; another exception becomes a 500.
    record Route(String method, String path, Optional<Scope> scope,
            Function<Request, CompletableFuture<Response>> operation, List<Header> headers) {

        boolean accepts(String requested) {
            return method.equals(requested) || (method.equals("GET") && requested.equals("HEAD"));
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

    /// The route of a request.
    ///
    /// @param parameter the parameter at the end of the route's path, decoded; empty if the route has none
    record Match(Route route, String parameter) {
    }

    /// Returns the routes for clients.
    ///
    /// @param threads may block
    public static Routes api(ApiSettings settings, PetOperations pets, Health health, Executor threads) {
        Home home = new Home(settings);
        OpenApiDocument document = new OpenApiDocument(settings);
        WebFiles docs = WebFiles.docs(settings);
        return of(List.of(
                new Route("GET", "/v1/pets", Optional.of(Scope.READ), pets::listPets, List.of()),
                new Route("POST", "/v1/pets", Optional.of(Scope.WRITE), pets::createPet, List.of()),
                new Route("GET", "/v1/pets/{petId}", Optional.of(Scope.READ), pets::getPet,
                        pets.deprecation(settings.docs())),
                open("/", threads, home::respondTo),
                open("/page/{file}", threads, home::file),
                open("/docs", threads, docs::page),
                open("/docs/{asset}", threads, docs::file),
                open("/openapi.yaml", threads, document::yaml),
                open("/openapi.json", threads, document::json),
                open("/livez", NO_THREAD, health::livez),
                open("/readyz", threads, request -> health.readyz(request, false))),
                "the reference is at " + settings.docs());
    }

    /// Returns the routes for operators.
    public static Routes admin(Health health, PrometheusMeterRegistry metrics, Executor threads) {
        return of(List.of(
                open("/metrics", threads, _ -> metrics(metrics)),
                open("/livez", NO_THREAD, health::livez),
                open("/readyz", threads, request -> health.readyz(request, true))),
                "there are /metrics, /livez and /readyz");
    }

    /// Returns a route without authentication.
    ///
    /// @param threads run `work`, which may block
    private static Route open(String path, Executor threads, Function<Request, Response> work) {
        return new Route("GET", path, Optional.empty(),
                request -> CompletableFuture.supplyAsync(() -> work.apply(request), threads), List.of());
    }

    /// Returns these routes and `OPTIONS *`, which asks for the methods of the whole server (RFC 9110 section 9.3.7).
    private static Routes of(List<Route> table, String directions) {
        Response methods = Response.bodiless(204,
                Header.of("Allow", methods(Stream.concat(Stream.of("OPTIONS"), table.stream().map(Route::method)))),
                Response.NO_STORE);
        return new Routes(Stream.concat(table.stream(), Stream.of(new Route("OPTIONS", "*", Optional.empty(),
                _ -> CompletableFuture.completedFuture(methods), List.of()))).toList(), directions);
    }

    private static String methods(Stream<String> methods) {
        return methods.distinct().map(method -> method.equals("GET") ? "GET, HEAD" : method).sorted()
                .collect(Collectors.joining(", "));
    }

    private static Response metrics(PrometheusMeterRegistry metrics) {
        return Response.ok(METRICS_FORMAT, metrics.scrape(METRICS_FORMAT).getBytes(StandardCharsets.UTF_8),
                Response.NO_STORE);
    }

    /// Returns the route of a request; absent if no route has both method and path.
    Optional<Match> find(String method, String path) {
        for (Route route : table) {
            Optional<String> parameter = route.accepts(method) ? route.match(path) : Optional.empty();
            if (parameter.isPresent()) {
                return Optional.of(new Match(route, parameter.get()));
            }
        }
        return Optional.empty();
    }

    /// Returns the routes with this path and any method.
    Stream<Route> at(String path) {
        return table.stream().filter(route -> route.match(path).isPresent());
    }

    /// Returns 405 if the path has routes of other methods, else 404.
    Response refusal(String path) {
        String methods = methods(at(path).map(Route::method));
        if (methods.isEmpty()) {
            return Errors.response(Kind.NOT_FOUND, "not found; " + directions);
        }
        return Errors.response(Kind.METHOD_NOT_ALLOWED, "the methods of this path are " + methods,
                Header.of("Allow", methods));
    }
}
