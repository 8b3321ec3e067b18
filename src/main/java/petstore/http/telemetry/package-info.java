/// Metrics, spans and the log of requests.
package petstore.http.telemetry;
