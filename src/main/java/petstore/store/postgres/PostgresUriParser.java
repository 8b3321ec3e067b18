package petstore.store.postgres;

import java.net.Inet6Address;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import petstore.Failure;

/// Parses addresses of databases as psql does, and leaves hosts and parameters to the driver's own parser.
///
/// Source: "Connection URIs" in PostgreSQL's documentation of libpq.
final class PostgresUriParser {

    private static final Pattern SHAPE = Pattern.compile(
            "postgres(?:ql)?://(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^/?#]*)(?:/(?<database>[^?#]*))?(?:\\?(?<parameters>[^#]+)?)?");
    private static final Pattern BAD_ESCAPE = Pattern.compile("%(?![0-9A-Fa-f]{2})");

    private PostgresUriParser() {
    }

    /// Returns the address in a text. Errors: as for [PostgresUri#parse].
    static PostgresUri parse(String text) {
        Matcher uri = SHAPE.matcher(text);
        require(uri.matches(), "it must look like postgresql://user@host:5432/database");
        // A password with an @ or a slash would be parsed as a host, a database or a parameter, and shown.
        require(text.indexOf('@', uri.start("hosts")) < 0,
                "write @ / ? in its user, password and parameters as %40 %2F %3F");
        require(!BAD_ESCAPE.matcher(text).find(), "it has a % that no two hexadecimal digits follow");
        Map<String, String> given = new TreeMap<>();
        String query = uri.group("parameters");
        for (String pair : query == null ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            require(equals > 0, "its parameters must look like name=value&name=value");
            String name = decode(pair.substring(0, equals));
            require(given.put(name, decode(pair.substring(equals + 1))) == null,
                    "its parameter " + name + " is set twice");
        }
        String user = first(given.remove("user"), decode(uri.group("user")), System.getProperty("user.name"));
        // The name that Java has for a user whom the system does not know, e.g. in a container.
        require(!user.equals("?"), "name the role, as in postgresql://ROLE@host:5432/database");
        String database = first(given.remove("dbname"), decode(uri.group("database")), user);
        List<String> hosts = hosts(decode(uri.group("hosts")), given.remove("host"), given.remove("port"));
        // The service itself finds the primary of the hosts.
        require(first(given.remove("target_session_attrs"), "any").matches("any|read-write|primary"),
                "target_session_attrs must be read-write, primary or any: the service writes");
        require(given.getOrDefault("connect_timeout", "0").matches("[0-9]{1,4}"),
                "connect_timeout must be a number of seconds");
        Properties properties = new Properties();
        given.forEach((name, value) -> {
            require(PostgresUri.PARAMETERS.containsKey(name), "its parameter " + name + " is unknown; use "
                    + String.join(", ", PostgresUri.PARAMETERS.keySet()) + ", target_session_attrs");
            properties.setProperty(PostgresUri.PARAMETERS.getOrDefault(name, name), value);
        });
        properties.putAll(Map.of("user", user, "PGDBNAME", database));
        String password = decode(uri.group("password"));
        return new PostgresUri(hosts, properties).orPassword(Optional.of(password).filter(own -> !own.isEmpty()));
    }

    /// Returns the hosts, e.g. `one:5432`. As in psql, parameters override the authority, and a single port is for all hosts.
    private static List<String> hosts(String authority, @Nullable String hostList, @Nullable String portList) {
        String[] hosts = (hostList == null ? authority.replaceAll(":[^:,\\]]*(?=,|$)", "") : hostList).split(",", -1);
        String[] ports = (portList == null ? authority.replaceAll("[^,]*?(?::([^:,\\]]*)|)(?=,|$)", "$1") : portList)
                .split(",", -1);
        require(ports.length == 1 || ports.length == hosts.length,
                "it must have one port for all hosts, or one for each");
        return IntStream.range(0, hosts.length).mapToObj(i -> {
            String host = hosts.length == 1 ? first(hosts[0], "localhost") : hosts[i];
            String port = first(ports[i % ports.length], "5432");
            require(!host.startsWith("/"), "a Unix socket cannot be used; name a host");
            require(isHost(host), "its hosts must look like host1:5432,host2:5432");
            require(port.matches("0*[1-9][0-9]{0,4}") && Integer.parseInt(port) < 1 << 16,
                    "its ports must be numbers from 1 to 65535");
            return host + ":" + port;
        }).toList();
    }

    private static boolean isHost(String text) {
        try {
            return text.startsWith("[") ? Inet6Address.ofLiteral(text) != null : text.matches("[\\w.~!$&'()*+;=-]+");
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String first(@Nullable String... texts) {
        return Stream.of(texts).filter(text -> text != null && !text.isEmpty()).findFirst().orElse("");
    }

    private static String decode(@Nullable String text) {
        return text == null ? "" : URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static void require(boolean valid, String reason) {
        if (!valid) {
            throw new Failure(Failure.Kind.INVALID_REQUEST, "the database's address cannot be used: " + reason);
        }
    }
}
