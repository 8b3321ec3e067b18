package petstore.store.postgres;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PostgresSearchTest {

    @Test
    void reportsCauseOfConnectionFailure() {
        assertThat(reason(new UnknownHostException("db.invalid"))).contains("failed. The host db.invalid is unknown; ");
        assertThat(reason(new EOFException())).contains("failed. The port may be of another program; ");
        assertThat(reason(new SocketTimeoutException("Connect timed out"))).contains("failed. Connect timed out; ");
    }

    private static String reason(IOException cause) {
        return PostgresSearch.reason(new SQLException("The connection attempt failed.", "08001", cause));
    }
}
