package petstore.http.message;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/// An API that a server can serve. It never blocks and never throws.
public interface Api {

    /// The id of a key in records of requests without an accepted key.
    String NO_KEY = "-";
    /// The route of requests that match no route.
    String NO_ROUTE = "unmatched";

    /// Checks the route, key, rate limit and scope of a request, before its body is read.
    Decision decide(RequestHead head);

    /// Returns the decision on a request that the server refuses, e.g. for a malformed head.
    Decision refuse(RequestHead head, Response refusal);

    /// The decision on a request.
    ///
    /// @param route the path in the route table; [#NO_ROUTE] if the table lacks it
    /// @param keyId the id of the accepted key; [#NO_KEY] for none
    /// @param headers further headers of every response to this request
    record Decision(String route, String keyId, List<Header> headers, Next next) {
    }

    sealed interface Next {
    }

    record Respond(Response response) implements Next {
    }

    /// Send this response as the last of its connection, because the client may not send the body.
    record RespondLast(Response response) implements Next {
    }

    /// Proceed with another decision when the key is read from the store; the future never fails.
    record AwaitKey(CompletableFuture<Decision> decision) implements Next {
    }

    /// Send this response when it completes; the future never fails.
    record Await(CompletableFuture<Response> response) implements Next {
    }

    /// Read the body and await the response of the route's operation. Its future never fails.
    ///
    /// @param limit the maximum length in bytes; longer bodies are refused with 413
    record ReadBody(int limit, Function<byte[], CompletableFuture<Response>> operation) implements Next {
    }
}
