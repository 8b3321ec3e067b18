package petstore.net;

/// Hosts and ports as URIs and the field `Host` have them.
///
/// The text comes from clients: no check allocates, recurses or uses a regular expression.
/// Source: RFC 3986 sections 3.2.2 and 3.2.3, RFC 9110 section 7.2; RFC 1123 section 2.1 for names.
public final class UriHost {

    private static final int GREATEST_PORT = 65_535;
    private static final int GREATEST_OCTET = 255;
    private static final int MOST_GROUP_DIGITS = 4;
    private static final int GROUPS = 8;
    private static final String UNRESERVED = "-._~";
    private static final String SUB_DELIMS = "!$&'()*+,;=";

    private UriHost() {
    }

    /// Returns whether a text is `uri-host [ ":" port ]`; the host and the port may be empty.
    public static boolean isHostAndPort(CharSequence text) {
        return isHostAndPort(text, 0, text.length());
    }

    /// Returns whether a part of a text is `uri-host [ ":" port ]`; the host and the port may be empty.
    public static boolean isHostAndPort(CharSequence text, int from, int to) {
        int end = end(text, from, to);
        boolean hasPort = end + 1 < to;
        return isHost(text, from, end) && (end == to || text.charAt(end) == ':')
                && (!hasPort || isPort(text, end + 1, to, 0));
    }

    /// Returns whether a text is a `uri-host`; it may be empty.
    public static boolean isHost(CharSequence text) {
        return isHost(text, 0, text.length());
    }

    private static boolean isHost(CharSequence text, int from, int to) {
        return isIpLiteral(text, from, to) || isRegisteredName(text, from, to);
    }

    /// Returns whether a text is a host name or an IPv4 address: letters, digits, hyphens and dots.
    public static boolean isHostName(CharSequence text) {
        return isHostName(text, 0, text.length());
    }

    /// Returns whether a text is an IPv6 address, or one of a later version, in brackets.
    public static boolean isIpLiteral(CharSequence text) {
        return isIpLiteral(text, 0, text.length());
    }

    /// Returns whether a text is an IPv6 address without brackets.
    public static boolean isIpv6Address(CharSequence text) {
        return isIpv6Address(text, 0, text.length());
    }

    /// Returns the index behind the host of a `uri-host [ ":" port ]`, also of an invalid one.
    public static int end(CharSequence text) {
        return end(text, 0, text.length());
    }

    private static int end(CharSequence text, int from, int to) {
        char last = from < to && text.charAt(from) == '[' ? ']' : ':';
        int end = from;
        while (end < to && text.charAt(end) != last) {
            end++;
        }
        return last == ']' && end < to ? end + 1 : end;
    }

    /// Returns whether a text is the number of a port, `least` to 65535.
    public static boolean isPort(CharSequence text, int least) {
        return isPort(text, 0, text.length(), least);
    }

    private static boolean isPort(CharSequence text, int from, int to, int least) {
        int port = 0;
        for (int i = from; i < to; i++) {
            if (!isDigit(text.charAt(i))) {
                return false;
            }
            port = Math.min(port * 10 + text.charAt(i) - '0', GREATEST_PORT + 1);
        }
        return from < to && port >= least && port <= GREATEST_PORT;
    }

    private static boolean isIpLiteral(CharSequence text, int from, int to) {
        return to - from > 2 && text.charAt(from) == '[' && text.charAt(to - 1) == ']'
                && (isIpv6Address(text, from + 1, to - 1) || isIpvFuture(text, from + 1, to - 1));
    }

    private static boolean isIpvFuture(CharSequence text, int from, int to) {
        int dot = from + 1;
        while (dot < to && isHexDigit(text.charAt(dot))) {
            dot++;
        }
        if ((text.charAt(from) | 0x20) != 'v' || dot == from + 1 || dot + 1 >= to || text.charAt(dot) != '.') {
            return false;
        }
        for (int i = dot + 1; i < to; i++) {
            if (text.charAt(i) != ':' && !isNameCharacter(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isIpv6Address(CharSequence text, int from, int to) {
        int groups = 0;
        int at = from;
        boolean gap = to - from >= 2 && text.charAt(at) == ':' && text.charAt(at + 1) == ':';
        if (gap) {
            at += 2;
        }
        while (at < to) {
            int end = at;
            while (end < to && isHexDigit(text.charAt(end))) {
                end++;
            }
            if (end < to && text.charAt(end) == '.') {
                groups += 2;
                return isIpv4Address(text, at, to) && (gap ? groups < GROUPS : groups == GROUPS);
            }
            if (end == at || end - at > MOST_GROUP_DIGITS) {
                return false;
            }
            groups++;
            at = end;
            if (at == to) {
                break;
            }
            if (text.charAt(at) != ':' || at + 1 == to) {
                return false;
            }
            at++;
            if (text.charAt(at) == ':') {
                if (gap) {
                    return false;
                }
                gap = true;
                at++;
            }
        }
        return gap ? groups < GROUPS : groups == GROUPS;
    }

    private static boolean isIpv4Address(CharSequence text, int from, int to) {
        int at = from;
        for (int octets = 1; octets <= 4; octets++) {
            int begin = at;
            int octet = 0;
            while (at < to && isDigit(text.charAt(at)) && octet <= GREATEST_OCTET) {
                octet = octet * 10 + text.charAt(at) - '0';
                at++;
            }
            boolean hasLeadingZero = at - begin > 1 && text.charAt(begin) == '0';
            if (at == begin || hasLeadingZero || octet > GREATEST_OCTET) {
                return false;
            }
            if (octets < 4 && (at == to || text.charAt(at++) != '.')) {
                return false;
            }
        }
        return at == to;
    }

    private static boolean isRegisteredName(CharSequence text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (text.charAt(i) == '%') {
                if (i + 2 >= to || !isHexDigit(text.charAt(i + 1)) || !isHexDigit(text.charAt(i + 2))) {
                    return false;
                }
                i += 2;
            } else if (!isNameCharacter(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    /// A name whose last label has digits alone would be a malformed IPv4 address. A dot may end the name.
    private static boolean isHostName(CharSequence text, int from, int to) {
        int label = from;
        boolean numeric = true;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            boolean alphanumeric = isLetter(c) || isDigit(c);
            if (c == '.' && i > label && text.charAt(i - 1) != '-') {
                label = i + 1;
            } else if (alphanumeric || (c == '-' && i > label)) {
                numeric = isDigit(c) && (numeric || i == label);
            } else {
                return false;
            }
        }
        return isIpv4Address(text, from, to) || (!numeric && text.charAt(to - 1) != '-');
    }

    private static boolean isNameCharacter(char c) {
        return isLetter(c) || isDigit(c) || UNRESERVED.indexOf(c) >= 0 || SUB_DELIMS.indexOf(c) >= 0;
    }

    private static boolean isLetter(char c) {
        return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isHexDigit(char c) {
        return isDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
    }
}
