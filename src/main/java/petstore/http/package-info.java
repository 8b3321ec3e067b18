/// The API: routes, the life of a request, the operations, health, the contract and its page.
///
/// Start at [petstore.http.Routes], then [petstore.http.Dispatcher] for the life of a request.
package petstore.http;
