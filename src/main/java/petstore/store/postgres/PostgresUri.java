package petstore.store.postgres;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import petstore.Failure;
import petstore.net.UriHost;

/// Where a PostgreSQL database is, as psql is told it: `postgresql://user:password@host1:5432,host2:5432/database?sslmode=require`.
///
/// Source: "Connection URIs" in PostgreSQL's documentation of libpq.
public final class PostgresUri {

    private static final Pattern SHAPE = Pattern.compile(
            "postgres(?:ql)?://(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^/?#]*)(?:/(?<database>[^?#]*))?(?:\\?(?<parameters>[^#]*))?");
    private static final String HOSTS = "its hosts must look like host1:5432,host2:5432";
    private static final String DEFAULT_PORT = "5432";
    private static final String HIDDEN = "***";

    /// What libpq calls a parameter, and what the driver calls it.
    private static final Map<String, String> PARAMETERS = Map.ofEntries(Map.entry("sslmode", "sslmode"),
            Map.entry("sslrootcert", "sslrootcert"), Map.entry("sslcert", "sslcert"), Map.entry("sslkey", "sslkey"),
            Map.entry("sslpassword", "sslpassword"), Map.entry("channel_binding", "channelBinding"),
            Map.entry("gssencmode", "gssEncMode"), Map.entry("application_name", "ApplicationName"),
            Map.entry("options", "options"), Map.entry("connect_timeout", "connectTimeout"),
            Map.entry("target_session_attrs", "targetServerType"));
    private static final Set<String> TARGETS = Set.of("any", "read-write", "primary");

    private final String hosts;
    private final String database;
    private final String user;
    private final Optional<String> password;
    private final Map<String, String> parameters;

    private PostgresUri(String hosts, String database, String user, Optional<String> password,
            Map<String, String> parameters) {
        this.hosts = hosts;
        this.database = database;
        this.user = user;
        this.password = password;
        this.parameters = parameters;
    }

    /// Reads a URI. The user is that of the operating system when it names none, the database is called like the user.
    ///
    /// Errors: [Failure] of kind `INVALID_REQUEST` with a message that does not show the password.
    public static PostgresUri parse(String text) {
        Matcher uri = SHAPE.matcher(text);
        if (!uri.matches()) {
            throw invalid("it must look like postgresql://user@host:5432/database");
        }
        // A password with an @ or a slash would be taken for a host, a database or a parameter, and shown.
        if (text.indexOf('@', uri.start("hosts")) >= 0) {
            throw invalid("write each @ of its user, password and parameters as %40");
        }
        Map<String, String> parameters = parameters(Optional.ofNullable(uri.group("parameters")).orElse(""));
        String user = given(parameters.remove("user"), uri.group("user")).orElse(System.getProperty("user.name"));
        String database = given(parameters.remove("dbname"), uri.group("database")).orElse(user);
        Optional<String> password = given(null, uri.group("password"));
        String hosts = hosts(uri.group("hosts"), parameters);
        for (String name : parameters.keySet()) {
            if (!PARAMETERS.containsKey(name)) {
                throw invalid("its parameter " + name + " is none of " + PARAMETERS.keySet().stream().sorted()
                        .collect(Collectors.joining(", ")));
            }
        }
        // Of these hosts the service uses the primary, whatever the parameter.
        String target = Optional.ofNullable(parameters.remove("target_session_attrs")).orElse("any");
        if (!TARGETS.contains(target)) {
            throw invalid("target_session_attrs must be read-write, primary or any: the service writes");
        }
        if (!parameters.getOrDefault("connect_timeout", "0").matches("[0-9]{1,4}")) {
            throw invalid("connect_timeout must be a number of seconds");
        }
        return new PostgresUri(hosts, database, user, password, Map.copyOf(parameters));
    }

    private static Map<String, String> parameters(String query) {
        Map<String, String> parameters = new HashMap<>();
        for (String pair : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw invalid("its parameters must look like name=value&name=value");
            }
            String name = decode(pair.substring(0, equals));
            if (parameters.put(name, decode(pair.substring(equals + 1))) != null) {
                throw invalid("its parameter " + name + " stands twice");
            }
        }
        return parameters;
    }

    /// A parameter, or else a part of the URI; both may be empty or missing.
    private static Optional<String> given(@Nullable String parameter,
            @Nullable String part) {
        return Optional.ofNullable(parameter).or(() -> Optional.ofNullable(part).map(PostgresUri::decode))
                .filter(text -> !text.isEmpty());
    }

    /// The hosts as the driver wants them, e.g. `one:5432,two:5433`. There is one port for all of them or one for each; the
    /// parameters `host` and `port` win over what stands in the authority.
    private static String hosts(String authority, Map<String, String> parameters) {
        List<String> names = new ArrayList<>();
        List<String> ports = new ArrayList<>();
        for (String one : decode(authority).split(",", -1)) {
            int end = UriHost.end(one);
            names.add(one.substring(0, end));
            if (end < one.length() && one.charAt(end) != ':') {
                throw invalid(HOSTS);
            }
            ports.add(end < one.length() ? one.substring(end + 1) : "");
        }
        return paired(list(parameters.remove("host")).orElse(names), list(parameters.remove("port")).orElse(ports));
    }

    private static Optional<List<String>> list(@Nullable String parameter) {
        return Optional.ofNullable(parameter).map(text -> List.of(text.split(",", -1)));
    }

    private static String paired(List<String> names, List<String> ports) {
        if (ports.size() != 1 && ports.size() != names.size()) {
            throw invalid("it must have one port for all hosts, or one for each");
        }
        return IntStream.range(0, names.size())
                .mapToObj(i -> name(names.get(i), names.size()) + ":" + port(ports.get(ports.size() == 1 ? 0 : i)))
                .collect(Collectors.joining(","));
    }

    private static String name(String text, int hosts) {
        if (text.isEmpty() && hosts == 1) {
            return "localhost";
        }
        if (text.startsWith("/")) {
            throw invalid("a Unix socket cannot be used; name a host");
        }
        if (text.isEmpty() || !UriHost.isHost(text)) {
            throw invalid(HOSTS);
        }
        return text;
    }

    private static String port(String text) {
        if (text.isEmpty()) {
            return DEFAULT_PORT;
        }
        if (!UriHost.isPort(text, 1)) {
            throw invalid("its ports must be numbers from 1 to 65535");
        }
        return text;
    }

    /// Percent-decoding; a plus sign stays one.
    private static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw invalid("it has a % that no two hexadecimal digits follow");
        }
    }

    private static Failure invalid(String what) {
        return new Failure(Failure.Kind.INVALID_REQUEST, "the database's address cannot be used: " + what);
    }

    /// The same address with this password, unless it has one of its own.
    public PostgresUri orPassword(Optional<String> other) {
        return new PostgresUri(hosts, database, user, password.or(() -> other), parameters);
    }

    /// Returns the same address for each of its hosts alone.
    List<PostgresUri> hosts() {
        return Arrays.stream(hosts.split(",", -1))
                .map(host -> new PostgresUri(host, database, user, password, parameters)).toList();
    }

    /// The address as the driver wants it; the user and the rest are [#properties].
    String jdbcUrl() {
        return "jdbc:postgresql://" + hosts + "/"
                + URLEncoder.encode(database, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /// Returns everything else for the driver. Without a password it looks into the pgpass file.
    Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        password.ifPresent(text -> properties.setProperty("password", text));
        properties.setProperty("ApplicationName", "petstore");
        parameters.forEach((name, value) -> properties.setProperty(PARAMETERS.getOrDefault(name, name), value));
        return properties;
    }

    /// The address without its secrets, e.g. `postgresql://user:***@host:5432/database?sslmode=require`.
    @Override
    public String toString() {
        String query = parameters.entrySet().stream().sorted(Map.Entry.comparingByKey())
                .map(entry -> entry.getKey() + "=" + (entry.getKey().equals("sslpassword") ? HIDDEN : entry.getValue()))
                .collect(Collectors.joining("&"));
        return "postgresql://" + user + (password.isPresent() ? ":" + HIDDEN : "") + "@" + hosts + "/" + database
                + (query.isEmpty() ? "" : "?" + query);
    }
}
