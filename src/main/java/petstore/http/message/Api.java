package petstore.http.message;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/// What a server needs of an API. It never blocks and never throws.
public interface Api {

    /// The id of a key in records of requests without an accepted key.
    String NO_KEY = "-";
    /// The route of requests that match none.
    String NO_ROUTE = "unmatched";

    /// Judges a request before a byte of its body is read: its route, key, share and scope.
    Begun begin(RequestHead head);

    /// Returns what [#begin] would for a request that the server refuses, e.g. because its head is malformed.
    Begun refuse(RequestHead head, Response refusal);

    /// A request that the API knows.
    ///
    /// @param route the path as in the route table; [#NO_ROUTE] if it is not there
    /// @param deprecated true if the operation will be removed
    /// @param headers what every response to this request carries
    /// @param decision completes at once unless the store is asked for the key; never fails
    record Begun(String route, boolean deprecated, List<Header> headers, CompletableFuture<Decision> decision) {
    }

    /// What comes of a request.
    ///
    /// @param keyId the id of the accepted key; [#NO_KEY] if there is none
    /// @param headers what every response carries from now on, besides [Begun#headers]
    record Decision(String keyId, List<Header> headers, Next next) {
    }

    /// The next step of a request.
    sealed interface Next {
    }

    /// Send this response.
    record Respond(Response response) implements Next {
    }

    /// Send this response once it is there; the future never fails.
    record Await(CompletableFuture<Response> response) implements Next {
    }

    /// Read the body, and await the response that `operation` returns for it; its future never fails.
    ///
    /// @param limit the longest body in bytes; a longer one is refused with 413
    record ReadBody(int limit, Function<byte[], CompletableFuture<Response>> operation) implements Next {
    }
}
