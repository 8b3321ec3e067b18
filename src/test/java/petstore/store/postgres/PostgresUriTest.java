package petstore.store.postgres;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.Driver;
import petstore.Failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Database addresses in the syntax of psql.
class PostgresUriTest {

    @Test
    void parsesSeveralHostsAndPercentEncodedParts() {
        PostgresUri uri = PostgresUri
                .parse("postgresql://us%40er:p%3Ass%2F@one:5433,[::1]/pet%20store?sslmode=require");
        assertThat(uri.jdbcUrl()).isEqualTo("jdbc:postgresql://one:5433,[::1]:5432/");
        Properties parsed = Driver.parseURL(uri.jdbcUrl(), uri.properties());
        assertThat(parsed).containsEntry("PGHOST", "one,[::1]").containsEntry("PGPORT", "5433,5432")
                .containsEntry("PGDBNAME", "pet store").containsEntry("user", "us@er")
                .containsEntry("password", "p:ss/")
                .containsEntry("sslmode", "require");
    }

    @Test
    void commandLinesHaveAddressThatCanBeParsed() {
        PostgresUri uri = PostgresUri
                .parse("postgresql://us%40er%3A:p@one/a%2Fb%25?options=-csearch_path%3Dx%26y&sslrootcert=/etc/ca.pem");
        assertThat(uri.withoutPassword()).isEqualTo("postgresql://us%40er%3A@one:5432/a%2Fb%25"
                + "?options=-csearch_path%3Dx%26y&sslrootcert=/etc/ca.pem");
        assertThat(PostgresUri.parse(uri.withoutPassword()).orPassword(Optional.of("p")).properties())
                .isEqualTo(uri.properties());
    }

    @Test
    void usesDefaultsOfPsql() {
        String user = System.getProperty("user.name");
        PostgresUri uri = PostgresUri.parse("postgres://");
        assertThat(uri).hasToString("postgresql://" + user + "@localhost:5432/" + user);
        assertThat(uri.properties()).containsEntry("user", user).doesNotContainKey("password");
    }

    @ParameterizedTest
    @CsvSource(delimiterString = " | ", textBlock = """
            /d?host=a,b&port=5433,5434 | a:5433,b:5434
            /d?host=a,b&port=5433,     | a:5433,b:5432
            /d?host=a,b&port=5433      | a:5433,b:5433
            /d?host=a,b                | a:5432,b:5432
            a:5433,b:5434/d            | a:5433,b:5434
            a,b:5434/d                 | a:5432,b:5434
            a,b/d?port=5433,5434       | a:5433,b:5434
            a:1,b:2/d?port=65535       | a:65535,b:65535
            x:5433/d?host=a            | a:5433
            x:5433,y:5434/d?host=a,b   | a:5433,b:5434
            :5433/d                    | localhost:5433
            /d?host=[::1]&port=5433    | [::1]:5433""")
    void pairsPortsWithHostsAsPsqlDoes(String address, String hosts) {
        assertThat(PostgresUri.parse("postgresql://u@" + address)).hasToString("postgresql://u@" + hosts + "/d");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a,b,c/d?port=1,2", "a/d?port=1,2", "/d?port=1,2", "a:1,b:2/d?host=a,b,c"})
    void refusesPortsThatDoNotMatchHosts(String address) {
        assertThatThrownBy(() -> PostgresUri.parse("postgresql://" + address)).isInstanceOf(Failure.class).hasMessage(
                "the database's address cannot be used: it must have one port for all hosts, or one for each");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:0/d", "a:65536/d", "a:99999/d", "a:123456/d", "a,b:0/d", "a/d?port=0", "a/d?port=65536",
            "a/d?port=-1", "a/d?port=5432x", "a/d?port=geheim", "a:geheim/d", "a,b/d?port=5432,0", "u:geheim/d",
            "[::1]:geheim/d"})
    void refusesInvalidPorts(String address) {
        assertThatThrownBy(() -> PostgresUri.parse("postgresql://" + address)).isInstanceOf(Failure.class).hasMessage(
                "the database's address cannot be used: its ports must be numbers from 1 to 65535");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[1:2]", "[::1::]", "[127.0.0.1]", "[]", "a b", "a\"", "one,[::g]"})
    void refusesInvalidHosts(String hosts) {
        assertThatThrownBy(() -> PostgresUri.parse("postgresql://" + hosts + "/d")).isInstanceOf(Failure.class)
                .hasMessage("the database's address cannot be used: its hosts must look like host1:5432,host2:5432");
    }

    @Test
    void refusesParameterThatIsSetTwice() {
        assertThatThrownBy(() -> PostgresUri.parse("postgres://u@h/d?sslmode=require&sslcert=c&sslm%6Fde=disable"))
                .isInstanceOf(Failure.class)
                .hasMessage("the database's address cannot be used: its parameter sslmode is set twice");
    }

    /// As libpq.
    @Test
    void certificatesOfSystemNeedFullVerification() {
        String address = "postgres://u@h/d?sslrootcert=system";
        for (String mode : List.of("", "&sslmode=verify-full")) {
            assertThat(PostgresUri.parse(address + mode).properties()).containsEntry("sslmode", "verify-full");
        }
        for (String mode : List.of("disable", "prefer", "require", "verify-ca")) {
            assertThatThrownBy(() -> PostgresUri.parse(address + "&sslmode=" + mode)).isInstanceOf(Failure.class)
                    .hasMessage(
                            "the database's address cannot be used: sslrootcert=system needs sslmode=verify-full");
        }
        assertThat(PostgresUri.parse("postgres://u@h/d?sslrootcert=ca.pem").properties()).doesNotContainKey("sslmode");
        assertThat(PostgresUri.parse("postgres://u@h/d?sslrootcert=ca.pem&sslmode=require").properties())
                .containsEntry("sslmode", "verify-ca");
    }

    @Test
    void prefersPasswordOfAddress() {
        assertThat(PostgresUri.parse("postgres://u:own@h/d").orPassword(Optional.of("other")).properties())
                .containsEntry("password", "own");
        assertThat(PostgresUri.parse("postgres://u@h/d").orPassword(Optional.of("other")).properties())
                .containsEntry("password", "other");
    }

    @Test
    void masksSecretsInText() {
        assertThat(PostgresUri.parse("postgres://u:geheim@h/d?sslpassword=geheim&sslmode=require")).asString()
                .isEqualTo("postgresql://u:***@h:5432/d?sslmode=require&sslpassword=***");
    }

    /// The driver's parser logs an address that it refuses.
    @ParameterizedTest
    @ValueSource(strings = {"u:geheim/d", "u:geheim@h:geheim/d", "u:geheim@h,h:0/d", "u:geheim@h/d?port=geheim",
            "u:geheim@h/d?host=geheim:", "u:geheim@h/ge/heim?sslpassword=geheim", "u:geheim@h/d?service=geheim",
            "u:geheim@h/d?sslpassword=%geheim", "u:geheim@h/d?sslpassword=geheim"})
    void logsNoSecret(String address) {
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord event) {
                logged.add(event.getMessage() + Arrays.toString(event.getParameters()));
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        };
        Logger driver = Logger.getLogger("org.postgresql");
        driver.addHandler(handler);
        try {
            PostgresUri uri = PostgresUri.parse("postgresql://" + address);
            assertThat(Driver.parseURL(uri.jdbcUrl(), uri.properties())).isNotNull();
        } catch (Failure e) {
            logged.add(e.getMessage());
        } finally {
            driver.removeHandler(handler);
        }
        assertThat(logged).noneMatch(text -> text.contains("geheim"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"geheim", "mysql://u:geheim@h/d", "postgres://u:geheim@h:port/d",
            "postgres://u:geheim@h,/d", "postgres://u:geheim@/d?host=a,", "postgres://u:geheim@/d?host=a:5433",
            "postgres://u:geheim@/d?host=/run", "postgres://u:geheim@h/d?nothing=1", "postgres://u:geheim%@h/d",
            "postgres://u:geheim\n%@h/d",
            "postgres://u:geheim@h/d?password=geheim", "postgres://u:geheim@h/d?target_session_attrs=standby",
            "postgres://u:geheim@h/d?connect_timeout=soon",
            "postgres://u:geheim@h/d?connect_timeout=0", "postgres://u:geheim@h/d?connect_timeout=100"})
    void refusesInvalidAddressesWithoutShowingPassword(String text) {
        assertThatThrownBy(() -> PostgresUri.parse(text)).isInstanceOf(Failure.class)
                .hasMessageStartingWith("the database's address cannot be used: ").message().doesNotContain("geheim");
    }

    /// Java names a user without an entry in the system's list `?`.
    @Test
    void asksForRoleOfUserWithoutName() {
        String name = System.setProperty("user.name", "?");
        try {
            assertThatThrownBy(() -> PostgresUri.parse("postgresql://db.example/animals"))
                    .hasMessageContaining("name the role, as in postgresql://ROLE@");
            assertThat(PostgresUri.parse("postgresql://petstore@db.example")).asString()
                    .startsWith("postgresql://petstore@db.example:5432/petstore");
        } finally {
            System.setProperty("user.name", name);
        }
    }
}
