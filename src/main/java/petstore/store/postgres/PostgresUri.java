package petstore.store.postgres;

import java.net.Inet6Address;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import petstore.Failure;

/// The address of a PostgreSQL database: `postgresql://user:password@host1:5432,host2:5432/database?sslmode=require`.
public final class PostgresUri {

    /// The parameters of libpq, with their names in the driver.
    private static final Map<String, String> PARAMETERS = new TreeMap<>(Map.of("application_name", "ApplicationName",
            "channel_binding", "channelBinding", "connect_timeout", "connectTimeout", "gssencmode", "gssEncMode",
            "options", "options", "sslcert", "sslcert", "sslkey", "sslkey", "sslmode", "sslmode", "sslpassword",
            "sslpassword", "sslrootcert", "sslrootcert"));

    /// The value of `sslrootcert` for the certificates of the operating system.
    static final String SYSTEM = "system";

    private static final Pattern SEARCH_PATH = Pattern
            .compile("(?i)(?:^|\\s)(?:-c\\s*|--)search[_-]path=((?:\\\\.|[^\\\\\\s])*)");

    private static final Pattern SHAPE = Pattern.compile(
            "postgres(?:ql)?://(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^/?#]*)(?:/(?<database>[^?#]*))?(?:\\?(?<parameters>[^#]+)?)?");
    private static final Pattern BAD_ESCAPE = Pattern.compile("%(?![0-9A-Fa-f]{2})");

    private final List<String> hosts;
    private final Properties properties;

    PostgresUri(List<String> hosts, Properties properties) {
        this.hosts = hosts;
        this.properties = properties;
    }

    /// Returns the address in a text, which is parsed as psql does. By default, the user is that of the operating system, and the database
    /// is named like the user. Source: "Connection URIs" in PostgreSQL's documentation of libpq.
    ///
    /// Errors: [Failure] of kind `INVALID_REQUEST` with a message that does not show the password.
    public static PostgresUri parse(String text) {
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
        // With 0, the system has a limit of minutes, and Java reports it as a refused connection.
        require(given.getOrDefault("connect_timeout", "1").matches("0*[1-9][0-9]?"),
                "connect_timeout must be a number of seconds from 1 to 99");
        if (given.containsKey("sslrootcert")) {
            // As libpq does; the driver would accept any certificate.
            given.replace("sslmode", "require", "verify-ca");
        }
        if (SYSTEM.equals(given.get("sslrootcert"))) {
            // Such a certificate is easy to get, so its host counts.
            require(given.merge("sslmode", "verify-full", (mode, _) -> mode).equals("verify-full"),
                    "sslrootcert=system needs sslmode=verify-full");
        }
        Properties properties = new Properties();
        given.forEach((name, value) -> {
            require(PARAMETERS.containsKey(name), "its parameter " + name + " is unknown; use "
                    + String.join(", ", PARAMETERS.keySet()) + ", target_session_attrs");
            properties.setProperty(PARAMETERS.getOrDefault(name, name), value);
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

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static void require(boolean valid, String reason) {
        if (!valid) {
            throw new Failure(Failure.Kind.INVALID_REQUEST, "the database's address cannot be used: " + reason);
        }
    }

    /// Returns the same address with this password, unless it has its own.
    public PostgresUri orPassword(Optional<String> other) {
        Properties changed = properties();
        other.ifPresent(password -> changed.putIfAbsent("password", password));
        return new PostgresUri(hosts, changed);
    }

    /// Returns the address without its passwords, for a command line.
    public String withoutPassword() {
        Properties changed = properties();
        List.of("password", "sslpassword").forEach(changed::remove);
        return new PostgresUri(hosts, changed).toString();
    }

    /// Returns the same address for each of its hosts alone.
    List<PostgresUri> hosts() {
        return hosts.stream().distinct().map(host -> new PostgresUri(List.of(host), properties)).toList();
    }

    /// Returns the hosts with their ports, e.g. `one:5432,two:5432`.
    String hostNames() {
        return String.join(",", hosts);
    }

    /// Returns the name of the only host.
    String hostName() {
        return hostNames().replaceFirst(":[0-9]+$", "");
    }

    /// Returns the hosts for the driver's parser. It logs an address that it refuses, so everything else is in [#properties].
    String jdbcUrl() {
        return "jdbc:postgresql://" + hostNames() + "/";
    }

    /// Returns the user, the database and the parameters. Without a password the driver looks into the pgpass file.
    Properties properties() {
        return (Properties) properties.clone();
    }

    /// Returns the search path in the parameter `options`, where the last one counts.
    Optional<String> searchPath() {
        return SEARCH_PATH.matcher(properties.getProperty("options", "")).results().reduce((_, last) -> last)
                .map(option -> option.group(1).replaceAll("\\\\(.)", "$1"));
    }

    /// Returns the address without its secrets, e.g. `postgresql://user:***@host:5432/database?sslmode=require`.
    @Override
    public String toString() {
        String query = PARAMETERS.entrySet().stream().filter(entry -> properties.containsKey(entry.getValue()))
                .map(entry -> entry.getKey() + "=" + (entry.getKey().equals("sslpassword")
                        ? "***"
                        : encode(properties.getProperty(entry.getValue())).replace("%2F", "/")))
                .collect(Collectors.joining("&"));
        return "postgresql://" + encode(properties.getProperty("user"))
                + (properties.containsKey("password") ? ":***" : "") + "@" + hostNames() + "/"
                + encode(properties.getProperty("PGDBNAME")) + (query.isEmpty() ? "" : "?" + query);
    }
}
