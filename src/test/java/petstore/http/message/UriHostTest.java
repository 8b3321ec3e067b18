package petstore.http.message;

import java.util.Collections;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/// Hosts and ports in every form of the grammar of RFC 3986.
class UriHostTest {

    /// `::` at every position and of every length, with and without IPv4 at the end. With a group too many, each address is invalid.
    @Test
    void checksIpv6AddressesOfEveryForm() {
        for (String last : new String[]{"1", "ffff", "1.2.3.4"}) {
            int mostGroups = 8 - (last.contains(".") ? 2 : 1);
            assertIpv6(join(mostGroups) + ":" + last, true);
            assertIpv6(join(mostGroups - 1) + ":" + last, false);
            assertIpv6(join(mostGroups + 1) + ":" + last, false);
            for (int before = 0; before <= mostGroups; before++) {
                for (int after = 0; after <= mostGroups; after++) {
                    String address = join(before) + "::" + join(after) + (after == 0 ? "" : ":") + last;
                    assertIpv6(address, before + after < mostGroups);
                }
            }
        }
        for (int before = 0; before <= 8; before++) {
            assertIpv6(join(before) + "::", before < 8);
        }
    }

    private static String join(int groups) {
        return String.join(":", Collections.nCopies(groups, "0Fa"));
    }

    private static void assertIpv6(String address, boolean valid) {
        assertThat(UriHost.isIpv6Address(address)).as(address).isEqualTo(valid);
        assertThat(UriHost.isHostAndPort("[" + address + "]:80")).as(address).isEqualTo(valid);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", "1", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", ":::", "1:::2", "1::2::3", "::12345",
            "::g",
            "::1.2.3", "::1.2.3.4.5", "::1.2.3.256", "::01.2.3.4", "::1.2.3.4:5", "1.2.3.4::", "::1%25eth0", "::1 "})
    void refusesInvalidIpv6Addresses(String text) {
        assertIpv6(text, false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", ":80", "a:", "a:0", "a:0065535", "a_b", "~", "%41%2f:1", "a!$&'()*+,;=",
            "1.2.3.4:80",
            "256.1.1.1", "[::]", "[::]:", "[::1]:65535", "[v1.a]", "[VF09.a:b!~]:1"})
    void acceptsHostsAndPorts(String text) {
        assertThat(UriHost.isHostAndPort(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:b", "a:1:2", "a:-1", "a:65536", "a:99999999999999999999", "::1", "a@b", "a b", "a/",
            "a?", "a#",
            "%4", "%", "%4g", "%4:80", "\u00E4", "[", "]", "[]", "[::1", "[::1]80", "[::1]]", "a[::1]", "[[::1]]",
            "[v.a]",
            "[v1.]", "[v1]", "[vg.a]", "[x1.a]", "[v1.a/b]", "[v1.a%41]", "[127.0.0.1]", "[a]", "\0", "a\u007F"})
    void refusesInvalidHostsAndPorts(String text) {
        assertThat(UriHost.isHostAndPort(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "A.b-c.3d", "a.", "1a", "a--b", "127.0.0.1", "xn--4ca"})
    void acceptsHostNames(String text) {
        assertThat(UriHost.isHostName(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "-", "a..b", ".a", "-a", "a-", "a-.b", "a.-b", "a.-", "a_b", "a b", "\u00E4", "1",
            "127.1",
            "256.1.1.1", "1.2.3.4.5", "127.0.0.01", "1.", "a.1", "::1", "[::1]", "a:80"})
    void refusesInvalidHostNames(String text) {
        assertThat(UriHost.isHostName(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "080", "65535"})
    void acceptsPorts(String text) {
        assertThat(UriHost.isPort(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "65536", "4294967297", "99999999999999999999", "-1", "+1", "1 ", "\u0661"})
    void refusesInvalidPorts(String text) {
        assertThat(UriHost.isPort(text)).isFalse();
    }
}
