package petstore.http.message;

import java.net.InetAddress;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import petstore.http.message.TrustedProxies.Network;
import petstore.testkit.WorstText;

/// Linear time for header fields and targets.
class WorstTextTest {

    private static final Response PAGE = Response.json(200, new byte[0]);

    private static HeaderFields field(String name, String value) {
        return new HeaderFields(_ -> true).add(name, value);
    }

    @TestFactory
    Stream<DynamicTest> readsFields() {
        KeyScanner keys = new KeyScanner(Optional.of("a-configured-key"));
        TrustedProxies proxies = new TrustedProxies(
                Stream.of("10.0.0.0/8", "::1", "192.0.2.0/24").map(Network::find).map(Optional::orElseThrow).toList(),
                TrustedProxies.USUAL_FIELD);
        InetAddress peer = InetAddress.ofLiteral("10.0.0.1");
        ConditionalResponse response = new ConditionalResponse(PAGE);
        return Stream.of(
                WorstText.FIELD.tests("Accept", text -> field("Accept", text).accepts("Accept", "text/html"), "", "a",
                        "text/html", "text/html;", "text/html;q=0"),
                WorstText.FIELD.tests("Idempotency-Key",
                        text -> IdempotencyHeader.find(field("Idempotency-Key", text), keys), "", "\""),
                WorstText.FIELD.tests("If-Match", text -> respond(response, "If-Match", text), "", "\"", "W/\""),
                WorstText.FIELD.tests("If-None-Match", text -> respond(response, "If-None-Match", text), "", "\"",
                        "W/\""),
                WorstText.FIELD.tests("X-Forwarded-For",
                        text -> proxies.client(peer, field(TrustedProxies.USUAL_FIELD, text)), "", "["),
                WorstText.FIELD.tests("keys", keys::isIn, "", "pets_", "a-configured-ke"),
                WorstText.FIELD.tests("host", UriHost::isHostAndPort, "", "[", "[v1.", "a:", "1.2.3.4"),
                WorstText.FIELD.tests("end of host", UriHost::end, "", "["),
                WorstText.FIELD.tests("host name", UriHost::isHostName, "", "1."),
                WorstText.FIELD.tests("IP literal", UriHost::isIpLiteral, "[", "[v1."),
                WorstText.FIELD.tests("IPv4", UriHost::isIpv4Address, "", "1."),
                WorstText.FIELD.tests("IPv6", UriHost::isIpv6Address, "", "::", "1:"),
                WorstText.FIELD.tests("port", UriHost::isPort, "", "0"))
                .flatMap(tests -> tests);
    }

    private static void respond(ConditionalResponse response, String name, String value) {
        response.respondTo(new Request(
                new RequestHead("GET", "/v1/pets", null, field(name, value), "-", "-", 0), "", Optional.empty(),
                new byte[0]));
    }

    @TestFactory
    Stream<DynamicTest> readsTargets() {
        return Stream.of(
                WorstText.TARGET.tests("query", QueryParameters::petQuery, "", "limit=", "status=", "after=", "%",
                        "limit=1&"),
                WorstText.TARGET.tests("decoded", QueryParameters::decode, "", "%"),
                WorstText.TARGET.tests("integer", QueryParameters::int64, "", "-", "0")).flatMap(tests -> tests);
    }

    @TestFactory
    Stream<DynamicTest> readsNetworks() {
        return WorstText.BULK.tests("network", Network::find, "", "10.0.0.0/");
    }
}
