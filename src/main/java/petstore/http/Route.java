package petstore.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

import petstore.Failure;
import petstore.Scope;
import petstore.http.message.Header;
import petstore.http.message.Request;
import petstore.http.message.Response;

/// One line of the route table.
///
/// @param method the method; `GET` answers HEAD too
/// @param path the path, whose last segment may be a parameter: `/v1/pets/{petId}`
/// @param scope what the API key must allow; absent for a route that needs no key
/// @param operation what is done
/// @param headers what every answer carries once the key is accepted, errors too
public record Route(String method, String path, Optional<Scope> scope, Operation operation, List<Header> headers) {

    /// Reads, validates, calls the catalogue, maps the result. It is begun on the event loop and does not block it.
    ///
    /// Errors: [petstore.Failure], thrown or in the future, which becomes the response; anything else is a 500.
    @FunctionalInterface
    interface Operation {
        CompletableFuture<Response> respondTo(Request request);

        /// An operation that blocks, on threads that may.
        static Operation on(Executor threads, Function<Request, Response> work) {
            return request -> supply(() -> work.apply(request), threads);
        }

        /// Does work on threads that may block. The future fails with [Failure] of kind `UNAVAILABLE` if no thread can be started.
        static <T> CompletableFuture<T> supply(Supplier<T> work, Executor threads) {
            try {
                return CompletableFuture.supplyAsync(work, threads);
            } catch (OutOfMemoryError e) {
                return CompletableFuture.failedFuture(Failure.noThread(e));
            }
        }
    }

    /// A route under `/v1`.
    static Route api(String method, String path, Scope scope, Operation operation, List<Header> headers) {
        return new Route(method, path, Optional.of(scope), operation, headers);
    }

    /// A route that anybody may read.
    static Route open(String path, Operation operation) {
        return new Route("GET", path, Optional.empty(), operation, List.of());
    }

    /// Whether a request of this method belongs here, if its path does.
    public boolean takes(String requested) {
        return method.equals(requested) || (method.equals("GET") && requested.equals("HEAD"));
    }

    /// Whether every answer says that it is to be removed.
    public boolean isDeprecated() {
        for (Header header : headers) {
            if (header.is("Deprecation")) {
                return true;
            }
        }
        return false;
    }

    boolean readsBody() {
        return method.equals("POST");
    }

    /// The value of the path's parameter, empty when it has none; absent when `requested` is another path.
    Optional<String> match(String requested) {
        int parameterAt = path.indexOf('{');
        if (parameterAt < 0) {
            return path.equals(requested) ? Optional.of("") : Optional.empty();
        }
        boolean matches = requested.length() > parameterAt && requested.startsWith(path.substring(0, parameterAt))
                && requested.indexOf('/', parameterAt) < 0;
        return matches ? Optional.of(decode(requested.substring(parameterAt))) : Optional.empty();
    }

    private static String decode(String segment) {
        try {
            return segment.indexOf('%') < 0
                    ? segment
                    : URLDecoder.decode(segment.replace("+", "%2B"),
                            StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return segment;
        }
    }
}
