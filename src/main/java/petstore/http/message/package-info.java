/// Requests, responses and their parts, as values.
package petstore.http.message;
