package petstore.http;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Failure;
import petstore.http.message.HeaderFields;
import petstore.http.message.Request;
import petstore.http.message.RequestHead;
import petstore.http.message.Response;
import petstore.testkit.LogLines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HealthTest {

    private static final String STORE = """
            [%1$c] the store can be reached
            [%1$c] the store can be written
            [%1$c] the store's schema is that of this version, or a newer one
            """;

    private final Health stopping = new Health(() -> {
    }, "1.2.3", new UnavailabilityLog());
    private final Health broken = new Health(() -> {
        throw new Failure(Failure.Unavailability.NOT_WRITABLE, "the store cannot be written");
    }, "1.2.3", new UnavailabilityLog());

    HealthTest() {
        stopping.stop();
    }

    @Test
    void listsChecksIfUnready() {
        assertThat(body(stopping.readyz(request("verbose"), true))).isEqualTo("version 1.2.3\n"
                + "[-] the service is not stopping\n" + STORE.formatted('+') + "not ready: the service is stopping\n");
        assertThat(body(broken.readyz(request("verbose"), false))).isEqualTo("[+] the service is not stopping\n"
                + STORE.formatted('-') + "not ready: the store cannot be written\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "verbose"})
    void returns503WithRetryAfterIfUnready(String query) {
        Response response = stopping.readyz(request(query), true);
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.refusal()).isPresent();
        assertThat(response.headers()).filteredOn(header -> header.is("Retry-After")).hasSize(1);
        assertThat(response.headers()).filteredOn(header -> header.is("Content-Length")).singleElement()
                .extracting(header -> new String(header.value(), StandardCharsets.US_ASCII))
                .isEqualTo(String.valueOf(response.body().length));
    }

    /// The log has a line of its own for the error.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void givesMessageToRequestLog(boolean ofOperator) {
        Health unready = new Health(() -> {
            throw new Failure(Failure.Unavailability.STATEMENT_FAILED, "the store is unavailable",
                    new IllegalStateException("ERROR: canceling statement"));
        }, "1.2.3", new UnavailabilityLog());
        try (LogLines log = new LogLines("petstore.http")) {
            assertThat(unready.readyz(request(""), ofOperator).refusal().orElseThrow().reason())
                    .isEqualTo("the store is unavailable");
            assertThat(log.with("got 503 (statement_failed): the store is unavailable")).hasSize(1);
        }
    }

    /// Clients without a key learn no address.
    @ParameterizedTest
    @ValueSource(strings = {"", "verbose"})
    void tellsDetailToOperatorsOnly(String query) {
        Health unready = new Health(() -> {
            throw new Failure(Failure.Unavailability.NO_PRIMARY, "the store is unavailable",
                    "connection to db:5432 refused");
        }, "1.2.3", new UnavailabilityLog());
        Response toClient = unready.readyz(request(query), false);
        assertThat(body(toClient)).contains("the store is unavailable").doesNotContain("db:5432");
        assertThat(toClient.refusal().orElseThrow().reason()).isEqualTo("connection to db:5432 refused");
        assertThat(body(unready.readyz(request(query), true)))
                .contains("the store is unavailable: connection to db:5432");
    }

    /// The message is for the log only.
    @Test
    void hidesMessageOfInternalError() {
        Health defect = new Health(() -> {
            throw new Failure(Failure.Kind.INTERNAL_ERROR, "the database rejected a statement");
        }, "1.2.3", new UnavailabilityLog());
        assertThatThrownBy(() -> defect.readyz(request("verbose"), true)).isInstanceOf(Failure.class);
    }

    private static Request request(String query) {
        return new Request(new RequestHead("GET", "/readyz", query, new HeaderFields(_ -> true), "-", "of-the-test", 0),
                "",
                Optional.empty(), new byte[0]);
    }

    private static String body(Response response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }
}
