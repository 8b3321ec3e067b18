package petstore.http;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;

import petstore.Failure.Kind;
import petstore.Scope;
import petstore.http.Route.Operation;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.Response;

/// The route tables of the two listeners.
public final class Routes {

    /// Every path under this prefix needs an API key, known or not.
    private static final String VERSION = "/v1";

    private final List<Route> table;
    private final String directions;

    /// @param directions the end of the message for unknown paths
    private Routes(List<Route> table, String directions) {
        this.table = table;
        this.directions = directions;
    }

    /// Returns the routes for clients.
    ///
    /// @param threads may block
    public static Routes api(PetOperations pets, Home home, OpenApiDocument document, Docs docs, Health health,
            Executor threads) {
        return new Routes(List.of(
                new Route("GET", "/v1/pets", Optional.of(Scope.READ), pets::listPets, List.of()),
                new Route("POST", "/v1/pets", Optional.of(Scope.WRITE), pets::createPet, List.of()),
                new Route("GET", "/v1/pets/{petId}", Optional.of(Scope.READ), pets::getPet, pets.deprecation()),
                Route.open("/", Operation.on(threads, home::respondTo)),
                Route.open("/page/{file}", Operation.on(threads, home::file)),
                Route.open("/docs", Operation.on(threads, docs::page)),
                Route.open("/docs/{asset}", Operation.on(threads, docs::asset)),
                Route.open("/openapi.yaml", Operation.on(threads, document::yaml)),
                Route.open("/openapi.json", Operation.on(threads, document::json)),
                Route.open("/livez", Operation.on(threads, health::livez)),
                Route.open("/readyz", Operation.on(threads, health::readyz))),
                "the reference is at " + docs.address());
    }

    /// Returns the routes for operators.
    ///
    /// @param threads may block
    public static Routes admin(Health health, MetricsPage metrics, Executor threads) {
        return new Routes(List.of(
                Route.open("/metrics", Operation.on(threads, metrics::metrics)),
                Route.open("/livez", Operation.on(threads, health::livez)),
                Route.open("/readyz", Operation.on(threads, health::readyzWithVersion))),
                "there are /metrics, /livez and /readyz");
    }

    /// Returns all routes, in the order of matching.
    List<Route> table() {
        return table;
    }

    /// A route and the value of its path's parameter.
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

    /// Returns a route with this path and any method; absent if no route has it.
    Optional<Route> at(String path) {
        return table.stream().filter(route -> route.match(path).isPresent()).findFirst();
    }

    /// Returns 405 if the path has routes of other methods, else 404.
    Response refusal(String path) {
        String methods = table.stream().filter(route -> route.match(path).isPresent()).map(Route::method)
                .map(method -> method.equals("GET") ? "GET, HEAD" : method).sorted().collect(Collectors.joining(", "));
        if (methods.isEmpty()) {
            return Errors.response(Kind.NOT_FOUND, "not found; " + directions);
        }
        return Errors.response(Kind.METHOD_NOT_ALLOWED, "the methods of this path are " + methods,
                Header.of("Allow", methods));
    }
}
