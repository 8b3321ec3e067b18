package petstore.http;

import java.nio.charset.StandardCharsets;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import petstore.http.message.Request;
import petstore.http.message.Response;

/// All metrics, in Prometheus' text format.
public final class MetricsPage {

    private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry meters;

    public MetricsPage(PrometheusMeterRegistry meters) {
        this.meters = meters;
    }

    Response metrics(Request request) {
        return Response.ok(CONTENT_TYPE, meters.scrape(CONTENT_TYPE).getBytes(StandardCharsets.UTF_8),
                Response.NO_STORE);
    }
}
