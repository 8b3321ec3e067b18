package petstore.http;

import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Executor;

import petstore.Failure.Kind;
import petstore.Scope;
import petstore.http.Route.Operation;
import petstore.http.message.Errors;
import petstore.http.message.Header;
import petstore.http.message.Response;

/// The route tables of the two listeners.
public final class Routes {

    /// Everything under this prefix needs an API key, whether it exists or not.
    private static final String VERSION = "/v1";

    private final List<Route> table;
    private final String directions;

    /// @param directions what is said to whoever asks for anything else
    private Routes(List<Route> table, String directions) {
        this.table = table;
        this.directions = directions;
    }

    /// What clients meet.
    ///
    /// @param threads may block
    public static Routes api(PetOperations pets, OpenApiDocument document, Docs docs, Health health, Executor threads) {
        return new Routes(List.of(
                Route.api("GET", "/v1/pets", Scope.READ, pets::listPets, List.of()),
                Route.api("POST", "/v1/pets", Scope.WRITE, pets::createPet, List.of()),
                Route.api("GET", "/v1/pets/{petId}", Scope.READ, pets::getPet, pets.deprecation()),
                Route.open("/", Operation.on(threads, docs::redirect)),
                Route.open("/docs", Operation.on(threads, docs::page)),
                Route.open("/docs/{asset}", Operation.on(threads, docs::asset)),
                Route.open("/openapi.yaml", Operation.on(threads, document::yaml)),
                Route.open("/openapi.json", Operation.on(threads, document::json)),
                Route.open("/livez", Operation.on(threads, health::livez)),
                Route.open("/readyz", Operation.on(threads, health::readyz))),
                "the reference is at " + docs.address());
    }

    /// What operators meet.
    ///
    /// @param threads may block
    public static Routes admin(Health health, MetricsPage metrics, Executor threads) {
        return new Routes(List.of(
                Route.open("/metrics", Operation.on(threads, metrics::metrics)),
                Route.open("/livez", Operation.on(threads, health::livez)),
                Route.open("/readyz", Operation.on(threads, health::readyz))),
                "there are /metrics, /livez and /readyz");
    }

    /// Every route, in the order in which they are tried.
    List<Route> table() {
        return table;
    }

    /// A route, and the value of its path's parameter.
    record Match(Route route, String parameter) {
    }

    static boolean needsKey(String path) {
        return path.startsWith(VERSION)
                && (path.length() == VERSION.length() || path.charAt(VERSION.length()) == '/');
    }

    /// The route for a request; absent when there is none, and [#refusal] says why.
    Optional<Match> find(String method, String path) {
        for (Route route : table) {
            Optional<String> parameter = route.takes(method) ? route.match(path) : Optional.empty();
            if (parameter.isPresent()) {
                return Optional.of(new Match(route, parameter.get()));
            }
        }
        return Optional.empty();
    }

    /// A route with this path, whatever its method; absent when there is none.
    Optional<Route> at(String path) {
        return table.stream().filter(route -> route.match(path).isPresent()).findFirst();
    }

    /// 405 when other methods are welcome at this path, else 404.
    Response refusal(String path) {
        TreeSet<String> allowed = new TreeSet<>();
        for (Route route : table) {
            if (route.match(path).isPresent()) {
                allowed.add(route.method());
                if (route.takes("HEAD")) {
                    allowed.add("HEAD");
                }
            }
        }
        if (allowed.isEmpty()) {
            return Errors.response(Kind.NOT_FOUND, "there is nothing at this address; " + directions);
        }
        String methods = String.join(", ", allowed);
        return Errors.response(Kind.METHOD_NOT_ALLOWED, "the methods for this address are " + methods,
                Header.of("Allow", methods));
    }
}
