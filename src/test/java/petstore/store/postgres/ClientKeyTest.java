package petstore.store.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petstore.CommandFailure;
import petstore.store.SchemaPolicy;
import petstore.store.StoreAccess;
import petstore.testkit.PlainPostgres;
import petstore.testkit.Shell;
import petstore.testkit.Tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

/// Client keys of TLS that the driver cannot read.
@Timeout(60)
class ClientKeyTest {

    private static final String MAKE_FILES = """
            set -e
            openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -subj /CN=ca
            certificate() { openssl req -new -key "$1" -out $2.csr -subj $3
              openssl x509 -req -in $2.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out $2.crt; }
            openssl genrsa -out server.key 2048
            certificate server.key server /CN=localhost
            openssl genrsa -traditional -out 'pkcs1 old.pem' 2048
            certificate 'pkcs1 old.pem' rsa /CN=postgres
            cp 'pkcs1 old.pem' pkcs1.key
            openssl pkcs8 -topk8 -in pkcs1.key -out pkcs8.pem -nocrypt
            { echo Comment; cat pkcs8.pem; } > comment.pem
            openssl pkcs8 -topk8 -in pkcs1.key -outform DER -out der.pem -nocrypt
            openssl pkcs8 -topk8 -in pkcs1.key -out encrypted.pem -passout pass:geheim
            openssl pkcs8 -topk8 -in pkcs1.key -outform DER -out encrypted.pk8 -passout pass:geheim
            openssl pkcs12 -export -in rsa.crt -inkey pkcs1.key -name user -out encrypted.p12 -passout pass:geheim
            openssl ecparam -name prime256v1 -genkey -noout -out sec1.pem
            certificate sec1.pem ec /CN=postgres
            openssl pkcs8 -topk8 -in sec1.pem -out ec8.pem -nocrypt
            chmod 600 *.key *.pem *.p*
            cp server.key server.crt ca.crt postgresql
            """;

    @TempDir
    private static Path folder;
    private static PlainPostgres server;

    @BeforeAll
    static void startServer() throws IOException {
        assumeThat(Tools.isInstalled("openssl")).as("openssl is installed").isTrue();
        server = new PlainPostgres(folder.resolve("postgresql"));
        assertThat(new Shell(folder).run(MAKE_FILES).code()).isZero();
        Path rules = folder.resolve("postgresql/pg_hba.conf");
        Files.writeString(rules, "hostssl all all all cert\n" + Files.readString(rules));
        Files.writeString(folder.resolve("postgresql/postgresql.conf"),
                "\nssl = on\nssl_ca_file = 'ca.crt'\n", StandardOpenOption.APPEND);
        server.query("SELECT pg_reload_conf()");
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"rsa.crt, pkcs1 old.pem", "rsa.crt, pkcs1.key", "rsa.crt, comment.pem", "rsa.crt, der.pem",
            "rsa.crt, encrypted.pem", "ec.crt, sec1.pem", "ec.crt, ec8.pem"})
    void namesCommandThatConvertsUnreadableKey(String certificate, String key) {
        Path file = folder.resolve(key);
        String advice = "the client key " + file + " cannot be read; set sslkey=" + file + ".pk8"
                + " after you have converted it: ";
        String message = catchThrowableOfType(CommandFailure.class, () -> open(certificate, key, "")).getMessage();
        assertThat(message).contains(advice + "openssl pkcs8 -topk8 ");
        assertThat(PostgresInspection.of(address(certificate, key, ""))).singleElement()
                .satisfies(host -> assertThat(host.problem()).startsWith(advice + "openssl pkcs8 -topk8 "));
        String command = message.substring(message.indexOf(advice) + advice.length());
        assertThat(new Shell(folder).run(command + " -passin pass:geheim").code()).isZero();
        open(certificate, key + ".pk8", "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"encrypted.pk8", "encrypted.p12"})
    void asksForPasswordOfKey(String key) {
        String begin = "the client key " + folder.resolve(key);
        assertThatThrownBy(() -> open("rsa.crt", key, ""))
                .hasMessageEndingWith(begin + " is encrypted; set its password with sslpassword");
        // With one of 256 wrong passwords, decryption succeeds and yields no key.
        assertThat(Stream.of("wrong", "other", "third")
                .map(password -> catchThrowable(() -> open("rsa.crt", key, "&sslpassword=" + password))))
                .anySatisfy(failure -> assertThat(failure)
                        .hasMessageEndingWith(begin + " cannot be decrypted; check sslpassword"));
        open("rsa.crt", key, "&sslpassword=geheim");
    }

    @Test
    void namesMissingFiles() {
        assertThatThrownBy(() -> open("rsa.crt", "missing.pk8", "")).hasMessageContaining("missing.pk8")
                .hasMessageNotContaining("openssl");
        assertThatThrownBy(() -> open("missing.crt", "pkcs8.pem", "")).hasMessageContaining("missing.crt")
                .hasMessageNotContaining("openssl");
    }

    /// Of another authority, and of another host.
    @ParameterizedTest
    @ValueSource(strings = {"verify-ca&sslrootcert=rsa.crt", "verify-full&sslrootcert=ca.crt"})
    void certificateThatDoesNotFitEndsCommandAtOnce(String mode) {
        PostgresUri address = PostgresUri.parse("postgresql://postgres@" + server.host() + "/postgres?sslmode="
                + mode.replace("=", "=" + folder + "/") + "&sslcert=" + folder.resolve("rsa.crt") + "&sslkey="
                + folder.resolve("encrypted.pk8") + "&sslpassword=geheim");
        assertThatThrownBy(() -> Postgres.forCommand(address, SchemaPolicy.AUTO, StoreAccess.READ))
                .isInstanceOf(CommandFailure.class);
        assertThat(PostgresInspection.of(address)).singleElement().matches(host -> !host.passing());
    }

    @Test
    void systemTrustsNoCertificateOfUnknownAuthority() {
        PostgresUri address = PostgresUri.parse("postgresql://postgres@localhost:" + server.port()
                + "/postgres?sslrootcert=system&sslcert=" + folder.resolve("rsa.crt") + "&sslkey="
                + folder.resolve("encrypted.pk8") + "&sslpassword=geheim");
        assertThatThrownBy(() -> Postgres.forCommand(address, SchemaPolicy.AUTO, StoreAccess.READ))
                .isInstanceOf(CommandFailure.class).hasStackTraceContaining("CertPathBuilderException");
    }

    private static void open(String certificate, String key, String more) {
        Postgres.forCommand(address(certificate, key, more), SchemaPolicy.AUTO, StoreAccess.CREATE).close();
    }

    private static PostgresUri address(String certificate, String key, String more) {
        return PostgresUri.parse("postgresql://postgres@" + server.host() + "/postgres?sslmode=require&sslcert="
                + folder.resolve(certificate) + "&sslkey=" + folder.resolve(key).toString().replace(" ", "%20") + more);
    }
}
