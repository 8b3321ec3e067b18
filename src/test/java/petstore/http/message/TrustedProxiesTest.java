package petstore.http.message;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.http.message.TrustedProxies.Network;

import static org.assertj.core.api.Assertions.assertThat;

class TrustedProxiesTest {

    private static final TrustedProxies PROXIES = new TrustedProxies(
            Stream.of("10.0.0.0/8", "192.0.2.1", "2001:db8:a::/48").map(Network::find).map(Optional::orElseThrow)
                    .toList(),
            TrustedProxies.USUAL_FIELD);
    private static final String ALPHABET = "019af.:,[]\" %/-x";

    private static String client(String peer, String... lines) {
        HeaderFields headers = new HeaderFields(_ -> true);
        Stream.of(lines).forEach(line -> headers.add("x-forwarded-for", line));
        return PROXIES.client(InetAddress.ofLiteral(peer), headers).getHostAddress();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            10.0.0.1    | 203.0.113.9                              | 203.0.113.9
            10.0.0.1    | 198.51.100.1, 203.0.113.9                | 203.0.113.9
            10.0.0.1    | 198.51.100.1,203.0.113.9,10.1.2.3        | 203.0.113.9
            10.0.0.1    | 198.51.100.1, 203.0.113.9, , 192.0.2.1,  | 203.0.113.9
            10.0.0.1    | 203.0.113.9:443, 10.1.2.3:5000           | 203.0.113.9
            10.0.0.1    | 2001:db8:b::9                            | 2001:db8:b:0:0:0:0:9
            10.0.0.1    | [2001:db8:b::9]                          | 2001:db8:b:0:0:0:0:9
            10.0.0.1    | [2001:db8:b::9]:443                      | 2001:db8:b:0:0:0:0:9
            2001:db8:a::1 | ::ffff:203.0.113.9                     | 203.0.113.9
            ::ffff:10.0.0.1 | 203.0.113.9                          | 203.0.113.9
            10.0.0.1    | 203.0.113.9, ::ffff:10.0.0.2             | 203.0.113.9
            10.0.0.1    | 10.0.0.3, 10.0.0.2                       | 10.0.0.3
            """)
    void returnsRightmostUntrustedAddress(String peer, String field, String expected) {
        assertThat(client(peer, field)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "_hidden", "203.0.113.9:", "203.0.113.9:0", "203.0.113.9:65536", "203.0.113",
            "1",
            "203.0.113.09", "[203.0.113.9]", "[2001:db8:b::9", "2001:db8:b::9]", "fe80::1%eth0", "[v1.x]",
            "\"203.0.113.9\"",
            "proxy.example", "for=203.0.113.9", "203.0.113.9 203.0.113.8"})
    void stopsAtElementWithoutAddress(String element) {
        assertThat(client("10.0.0.1", "198.51.100.1, " + element)).isEqualTo("10.0.0.1");
        assertThat(client("10.0.0.1", element + ", 10.0.0.2")).isEqualTo("10.0.0.2");
    }

    @Test
    void readsRepeatedFieldsAsOneList() {
        assertThat(client("10.0.0.1", "198.51.100.1", "203.0.113.9", "10.0.0.2")).isEqualTo("203.0.113.9");
        assertThat(client("10.0.0.1", "203.0.113.9", "")).isEqualTo("203.0.113.9");
    }

    @Test
    void returnsPeerIfFieldIsAbsentOrPeerIsUntrusted() {
        assertThat(client("10.0.0.1")).isEqualTo("10.0.0.1");
        assertThat(client("10.0.0.1", "")).isEqualTo("10.0.0.1");
        assertThat(client("11.0.0.1", "203.0.113.9")).isEqualTo("11.0.0.1");
        assertThat(client("2001:db8:b::1", "203.0.113.9")).isEqualTo("2001:db8:b:0:0:0:0:1");
    }

    @Test
    void ignoresOtherFields() {
        HeaderFields headers = new HeaderFields(_ -> true).add("X-Real-IP", "198.51.100.1").add("Forwarded",
                "for=198.51.100.1");
        assertThat(PROXIES.client(InetAddress.ofLiteral("10.0.0.1"), headers))
                .isEqualTo(InetAddress.ofLiteral("10.0.0.1"));
        assertThat(new TrustedProxies(PROXIES.networks(), "X-Real-IP").client(InetAddress.ofLiteral("10.0.0.1"),
                headers.add("X-Forwarded-For", "203.0.113.9"))).isEqualTo(InetAddress.ofLiteral("198.51.100.1"));
    }

    @Test
    void neverThrowsForRandomFields() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            String field = random.ints(1 + random.nextInt(40), 0, ALPHABET.length())
                    .mapToObj(at -> String.valueOf(ALPHABET.charAt(at))).collect(Collectors.joining());
            assertThat(client("10.0.0.1", field)).as("seed " + seed + ": " + field).isNotEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            10.0.0.0/8       | 10.255.255.255 | 11.0.0.0
            10.0.0.0/9       | 10.127.0.1     | 10.128.0.0
            192.0.2.7        | 192.0.2.7      | 192.0.2.6
            192.0.2.6/31     | 192.0.2.7      | 192.0.2.8
            0.0.0.0/0        | 203.0.113.9    | 2001:db8::1
            ::/0             | 2001:db8::1    | 203.0.113.9
            2001:db8::/33    | 2001:db8:7fff::| 2001:db8:8000::
            ::ffff:192.0.2.7 | 192.0.2.7      | 192.0.2.8
            """)
    void networkContainsOnlyItsAddresses(String network, String inside, String outside) {
        Network found = Network.find(network).orElseThrow();
        assertThat(found.contains(InetAddress.ofLiteral(inside))).isTrue();
        assertThat(found.contains(InetAddress.ofLiteral(outside))).isFalse();
    }

    @Test
    void refusesInvalidNetworks() {
        for (String text : List.of("", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.1/8",
                "10/8",
                "2001:db8::/129", "2001:db8::1/64", "[2001:db8::]/32", "::ffff:10.0.0.0/104", "localhost",
                "10.0.0.0/ 8")) {
            assertThat(Network.find(text)).as(text).isEmpty();
        }
    }
}
