package petstore.sql;

import java.util.Optional;
import java.util.Properties;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.Failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The address of a database, as psql is told it.
class PostgresUriTest {

    @Test
    void severalHostsAndPercentEncodedParts() {
        PostgresUri uri = PostgresUri
                .parse("postgresql://us%40er:p%3Ass%2F@one:5433,[::1]/pet%20store?sslmode=require");
        assertThat(uri.jdbcUrl()).isEqualTo("jdbc:postgresql://one:5433,[::1]:5432/pet%20store");
        Properties properties = uri.properties();
        assertThat(properties).containsEntry("user", "us@er").containsEntry("password", "p:ss/")
                .containsEntry("sslmode", "require").containsEntry("targetServerType", "primary");
    }

    @Test
    void whatIsMissingIsAsForPsql() {
        String user = System.getProperty("user.name");
        PostgresUri uri = PostgresUri.parse("postgres://");
        assertThat(uri.jdbcUrl()).isEqualTo("jdbc:postgresql://localhost:5432/" + user);
        assertThat(uri.properties()).containsEntry("user", user).containsEntry("targetServerType", "any")
                .doesNotContainKey("password");
    }

    @Test
    void thePasswordOfTheAddressWins() {
        assertThat(PostgresUri.parse("postgres://u:own@h/d").orPassword(Optional.of("other")).properties())
                .containsEntry("password", "own");
        assertThat(PostgresUri.parse("postgres://u@h/d").orPassword(Optional.of("other")).properties())
                .containsEntry("password", "other");
    }

    @Test
    void showsNoSecret() {
        assertThat(PostgresUri.parse("postgres://u:geheim@h/d?sslpassword=geheim&sslmode=require")).asString()
                .isEqualTo("postgresql://u:***@h:5432/d?sslmode=require&sslpassword=***");
    }

    @ParameterizedTest
    @ValueSource(strings = {"geheim", "mysql://u:geheim@h/d", "postgres://u:geheim@h:port/d",
            "postgres://u:geheim@h,/d",
            "postgres://u:geheim@/d?host=/run", "postgres://u:geheim@h/d?nothing=1", "postgres://u:geheim%@h/d",
            "postgres://u:geheim@h/d?password=geheim", "postgres://u:geheim@h/d?target_session_attrs=standby",
            "postgres://u:geheim@h/d?connect_timeout=soon"})
    void refusesWhatItCannotUseWithoutShowingThePassword(String text) {
        assertThatThrownBy(() -> PostgresUri.parse(text)).isInstanceOf(Failure.class)
                .hasMessageStartingWith("the database's address cannot be used: ").message().doesNotContain("geheim");
    }
}
