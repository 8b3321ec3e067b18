/// What operators see of requests: metrics, spans and the request log.
package petstore.http.telemetry;
