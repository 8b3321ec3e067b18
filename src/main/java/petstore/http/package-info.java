/// The three operations over HTTP, and what surrounds them: routes, bearer keys, errors, the contract and its page, health.
///
/// Start at [petstore.http.Routes], then [petstore.http.Dispatcher] for the life of a request.
package petstore.http;
