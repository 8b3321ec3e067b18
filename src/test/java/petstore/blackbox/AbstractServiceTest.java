package petstore.blackbox;

import java.nio.file.Path;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import petstore.testkit.ApiClient;
import petstore.testkit.TestClock;
import petstore.testkit.TestService;
import petstore.testkit.TestSettings;

/// A service on a new store for each test, and a client with its key.
abstract class AbstractServiceTest {

    @TempDir
    Path folder;
    /// The clock of the service.
    final TestClock clock = new TestClock("2026-11-21T10:00:00Z");
    @AutoClose
    TestService service;
    ApiClient client;

    @BeforeEach
    void startService() {
        service = TestService.start(folder, clock, this::change);
        client = service.client();
    }

    /// Returns the settings of the service, by default without a change.
    TestSettings change(TestSettings settings) {
        return settings;
    }
}
