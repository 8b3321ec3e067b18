package petstore.http;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import petstore.Failure.Kind;
import petstore.Scope;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.Response;

/// The route table of a listener.
///
/// @param directions the end of the message for unknown paths
public record Routes(List<Route> table, String directions) {

    /// Every path under this prefix needs an API key, also an unknown path.
    private static final String VERSION = "/v1";
    /// The process lives while no thread can be started.
    private static final Executor NO_THREAD = Runnable::run;
    private static final String METRICS_FORMAT = "text/plain; version=0.0.4; charset=utf-8";

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
                new Route("GET", "/v1/pets/{petId}", Optional.of(Scope.READ), pets::getPet, pets.deprecation()),
                Route.open("/", threads, home::respondTo),
                Route.open("/page/{file}", threads, home::file),
                Route.open("/docs", threads, docs::page),
                Route.open("/docs/{asset}", threads, docs::file),
                Route.open("/openapi.yaml", threads, document::yaml),
                Route.open("/openapi.json", threads, document::json),
                Route.open("/livez", NO_THREAD, health::livez),
                Route.open("/readyz", threads, request -> health.readyz(request, false))),
                "the reference is at " + settings.docs());
    }

    /// Returns the routes for operators.
    public static Routes admin(Health health, PrometheusMeterRegistry metrics, Executor threads) {
        return of(List.of(
                Route.open("/metrics", threads, _ -> metrics(metrics)),
                Route.open("/livez", NO_THREAD, health::livez),
                Route.open("/readyz", threads, request -> health.readyz(request, true))),
                "there are /metrics, /livez and /readyz");
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

    record Match(Route route, String parameter) {
    }

    static boolean needsKey(String path) {
        return path.equals(VERSION) || path.startsWith(VERSION + "/");
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
