package petstore.store.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import petstore.NewPet;
import petstore.store.SqlStore;
import petstore.testkit.AbstractCatalogueTest;
import petstore.testkit.PostgresServer;
import petstore.testkit.TestStore;

import static org.assertj.core.api.Assertions.assertThat;

/// A database with two hosts, of which the first cannot be used.
@Execution(ExecutionMode.CONCURRENT)
class UnavailableHostTest {

    private static final int CONNECT_MS = 200;

    /// The first host does not respond, as a machine that lost its power.
    @Test
    @Timeout(60)
    void usesSecondHostIfFirstDoesNotRespond() throws IOException {
        String database = PostgresServer.newDatabase();
        List<Socket> backlog = new ArrayList<>();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            while (fillBacklog(silent, backlog)) {
                assertThat(backlog).hasSizeLessThan(1_000);
            }
            try (SqlStore store = TestStore.serve(
                    database.replace("@localhost:", "@127.0.0.1:" + silent.getLocalPort() + ",localhost:"))) {
                assertThat(AbstractCatalogueTest.added(store.catalogue(), new NewPet("Rex", 1, Optional.empty()))
                        .id())
                        .isEqualTo(1);
            }
        } finally {
            for (Socket socket : backlog) {
                socket.close();
            }
        }
    }

    /// Connects to a server that accepts nothing. Returns false once its backlog is full: the system then ignores connections.
    private static boolean fillBacklog(ServerSocket server, List<Socket> backlog) throws IOException {
        Socket socket = new Socket();
        backlog.add(socket);
        try {
            socket.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), CONNECT_MS);
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }
}
