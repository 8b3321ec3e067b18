package petstore.http.message;

import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The grammar of hosts and ports in URIs and in the field `Host`.
///
/// Text may be from clients, so no pattern recurses or takes more than linear time.
/// Source: RFC 3986 sections 3.2.2 and 3.2.3, RFC 9110 section 7.2; RFC 1123 section 2.1 for names.
public final class UriHost {

    private static final String OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
    private static final String IPV4 = "(?:" + OCTET + "\\.){3}" + OCTET;
    private static final String GROUP = "[0-9A-Fa-f]{1,4}";
    private static final String LAST_TWO_GROUPS = "(?:" + GROUP + ":" + GROUP + "|" + IPV4 + ")";
    private static final String IPV6 = "(?:(?:" + GROUP + ":){6}" + LAST_TWO_GROUPS + "|"
            + IntStream.rangeClosed(0, 7).mapToObj(UriHost::withGap).collect(Collectors.joining("|")) + ")";
    private static final String CHARACTERS = "A-Za-z0-9._~!$&'()*+,;=-";
    private static final String IP_LITERAL = "\\[(?:" + IPV6 + "|[vV][0-9A-Fa-f]++\\.[:" + CHARACTERS + "]++)\\]";
    private static final String HOST = "(?:" + IP_LITERAL + "|(?:[" + CHARACTERS + "]++|%[0-9A-Fa-f]{2})*+)";
    private static final String PORT = "0*(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[0-5]?[0-9]{1,4})";
    private static final String LABEL = "[A-Za-z0-9]++(?:-++[A-Za-z0-9]++)*+";

    private static final Pattern IS_HOST_AND_PORT = Pattern.compile(HOST + "(?::(?:" + PORT + ")?)?");
    /// A name whose last label has digits alone would be a malformed IPv4 address.
    private static final Pattern IS_HOST_NAME = Pattern
            .compile(IPV4 + "|(?!(?:.*\\.)?[0-9]+\\.?$)" + LABEL + "(?:\\." + LABEL + ")*+\\.?");
    private static final Pattern IS_IPV4 = Pattern.compile(IPV4);
    private static final Pattern IS_IP_LITERAL = Pattern.compile(IP_LITERAL);
    private static final Pattern IS_IPV6 = Pattern.compile(IPV6);
    private static final Pattern IS_PORT = Pattern.compile("(?!0*$)" + PORT);

    private UriHost() {
    }

    /// Returns the grammar of an IPv6 address with `::` and this many groups behind it.
    private static String withGap(int groups) {
        String before = groups == 7 ? "" : "(?:" + GROUP + "(?::" + GROUP + "){0," + (6 - groups) + "})?";
        return before + "::" + switch (groups) {
            case 0 -> "";
            case 1 -> GROUP;
            default -> "(?:" + GROUP + ":){" + (groups - 2) + "}" + LAST_TWO_GROUPS;
        };
    }

    /// Returns true for `uri-host [ ":" port ]`; the host and the port may be empty.
    public static boolean isHostAndPort(CharSequence text) {
        return IS_HOST_AND_PORT.matcher(text).matches();
    }

    /// Returns true if both name the same host and port, in any case, with or without the default port. False for invalid texts. Source:
    /// RFC 3986 section 6.2.
    public static boolean areSame(CharSequence one, CharSequence other, String scheme) {
        return isHostAndPort(one) && isHostAndPort(other)
                && normalized(one.toString(), scheme).equals(normalized(other.toString(), scheme));
    }

    private static String normalized(String hostAndPort, String scheme) {
        int end = end(hostAndPort);
        String port = hostAndPort.substring(end).replaceFirst("^:(?:0*(?=.))?", "");
        boolean isDefault = port.isEmpty() || (scheme + ":" + port).matches("(?i)http:80|https:443");
        return hostAndPort.substring(0, end).toLowerCase(Locale.ROOT) + (isDefault ? "" : ":" + port);
    }

    /// Returns true for a host name or an IPv4 address: letters, digits, hyphens and dots. A dot may end the name.
    public static boolean isHostName(CharSequence text) {
        return IS_HOST_NAME.matcher(text).matches();
    }

    /// Returns true for an address in brackets: IPv6, or a later version.
    public static boolean isIpLiteral(CharSequence text) {
        return IS_IP_LITERAL.matcher(text).matches();
    }

    /// Returns true for an IPv4 address of four numbers.
    public static boolean isIpv4Address(CharSequence text) {
        return IS_IPV4.matcher(text).matches();
    }

    /// Returns true for an IPv6 address without brackets.
    public static boolean isIpv6Address(CharSequence text) {
        return IS_IPV6.matcher(text).matches();
    }

    /// Returns true for the number of a port, 1 to 65535.
    public static boolean isPort(CharSequence text) {
        return IS_PORT.matcher(text).matches();
    }

    /// Returns the index behind the host of a `uri-host [ ":" port ]`, also of an invalid one.
    public static int end(String text) {
        boolean literal = text.startsWith("[");
        int last = text.indexOf(literal ? ']' : ':');
        return last < 0 ? text.length() : literal ? last + 1 : last;
    }
}
