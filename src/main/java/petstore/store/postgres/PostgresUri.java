package petstore.store.postgres;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import petstore.Failure;

/// The address of a PostgreSQL database: `postgresql://user:password@host1:5432,host2:5432/database?sslmode=require`.
public final class PostgresUri {

    /// The parameters of libpq, with their names in the driver.
    static final Map<String, String> PARAMETERS = new TreeMap<>(Map.of("application_name", "ApplicationName",
            "channel_binding", "channelBinding", "connect_timeout", "connectTimeout", "gssencmode", "gssEncMode",
            "options", "options", "sslcert", "sslcert", "sslkey", "sslkey", "sslmode", "sslmode", "sslpassword",
            "sslpassword", "sslrootcert", "sslrootcert"));

    private static final Pattern SEARCH_PATH = Pattern
            .compile("(?i)(?:^|\\s)(?:-c\\s*|--)search[_-]path=((?:\\\\.|[^\\\\\\s])*)");

    private final List<String> hosts;
    private final Properties properties;

    PostgresUri(List<String> hosts, Properties properties) {
        this.hosts = hosts;
        this.properties = properties;
    }

    /// Returns the address in a text. By default, the user is that of the operating system, and the database is named like the user.
    ///
    /// Errors: [Failure] of kind `INVALID_REQUEST` with a message that does not show the password.
    public static PostgresUri parse(String text) {
        return PostgresUriParser.parse(text);
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
                .map(entry -> entry.getKey() + "="
                        + (entry.getKey().equals("sslpassword") ? "***" : properties.getProperty(entry.getValue())))
                .collect(Collectors.joining("&"));
        return "postgresql://" + properties.getProperty("user") + (properties.containsKey("password") ? ":***" : "")
                + "@" + hostNames() + "/" + properties.getProperty("PGDBNAME")
                + (query.isEmpty() ? "" : "?" + query);
    }
}
