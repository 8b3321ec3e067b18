package petstore.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import petstore.testkit.ApiClient;
import petstore.testkit.Browser;
import petstore.testkit.PetstoreProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/// A service and a browser for tests of the page for people. The browser finds elements by role and name, as people do.
@Tag("browser")
@Execution(ExecutionMode.SAME_THREAD)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // JUnit sets the fields before each test.
abstract class AbstractPageTest {

    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final String KEY = "key-of-the-shop-0123456789";

    Browser browser;
    @TempDir
    Path folder;
    PetstoreProcess service;
    /// The address of the page.
    String page;

    @BeforeAll
    void openBrowser() {
        assumeThat(Browser.isInstalled()).as("chromium and chromium-driver are installed").isTrue();
        browser = Browser.open();
    }

    @AfterAll
    void closeBrowser() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void startService() {
        service = serve(0);
        page = "http://127.0.0.1:" + service.port() + "/";
        browser.console();
    }

    PetstoreProcess serve(int port, String... options) {
        List<String> command = new ArrayList<>(List.of("serve", "--port", String.valueOf(port), "--admin-port", "0",
                "--data", folder.resolve("data").toString()));
        command.addAll(List.of(options));
        return PetstoreProcess.start(Map.of("PETSTORE_API_KEY", KEY, "PETSTORE_ACCESS_LOG", "false"),
                command.toArray(String[]::new)).awaitReady();
    }

    void restartService(String... options) {
        service.close();
        service = serve(0, options);
        page = "http://127.0.0.1:" + service.port() + "/";
    }

    @AfterEach
    void stopService() {
        browser.closeOtherTabs();
        browser.run("if (origin !== 'null') sessionStorage.clear()");
        assertThat(browser.console()).as("messages in the console")
                .allMatch(line -> line.contains("Failed to load resource") && !line.contains("/page/"));
        browser.visit("about:blank");
        service.close();
    }

    ApiClient api() {
        return service.client(KEY);
    }

    void addAnimals(int count) {
        for (int i = 1; i <= count; i++) {
            assertThat(api().post("{\"name\":\"Animal " + i + "\",\"categoryId\":7,\"status\":\""
                    + (i % 2 == 0 ? "sold" : "available") + "\"}").statusCode()).isEqualTo(201);
        }
    }

    void signIn() {
        browser.visit(page + "#key=" + KEY);
        await("the list").atMost(PATIENCE).until(() -> "false"
                .equals(browser.run("return document.getElementById('list').getAttribute('aria-busy')")));
    }

    void assertAccessible() {
        for (String scheme : List.of("light", "dark")) {
            browser.emulateColorScheme(scheme);
            assertThat(browser.axe()).as(scheme).isEmpty();
        }
        // At a zoom of 200 %, a window of 1280 pixels has the width of 640.
        for (int width : List.of(640, 320, 1280)) {
            browser.emulateWidth(width);
            assertThat(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"))
                    .as("fits into " + width + " px").isEqualTo(true);
        }
    }

    String createKey(String... scopes) {
        List<String> command = new ArrayList<>(
                List.of("keys", "create", "--name", "test" + List.of(scopes), "--data",
                        folder.resolve("data").toString()));
        Stream.of(scopes).forEach(scope -> command.addAll(List.of("--scope", scope)));
        PetstoreProcess.Ending ending = PetstoreProcess.run(command.toArray(String[]::new));
        return ending.out().stream().filter(line -> line.contains("pets_"))
                .map(line -> line.substring(line.indexOf("pets_")).strip()).findFirst().orElseThrow();
    }

    void awaitFirstRow(String id) {
        await("row " + id).atMost(PATIENCE)
                .until(() -> browser.rows(), rows -> !rows.isEmpty() && rows.getFirst().getFirst().equals(id));
    }

    void fillForm(String name, String category) {
        browser.find("textbox", "Name").sendKeys(name);
        browser.find("textbox", "Category").sendKeys(category);
    }

    /// Holds the responses to requests with this method that the page sends from now on, until [#releaseResponses].
    void holdResponses(String method) {
        browser.run("""
                const { fetch } = window;
                const released = new Promise((resolve) => { window.release = resolve; });
                window.held = 0;
                window.mostHeld = 0;
                window.fetch = async (target, options) => {
                  const response = fetch(target, options);
                  if (options.method === arguments[0]) {
                    window.held++;
                    window.mostHeld = Math.max(window.mostHeld, window.held);
                    await response;
                    await released;
                    window.held--;
                  }
                  return response;
                };""", method);
    }

    /// Lets the page receive the responses that were held.
    void releaseResponses() {
        browser.run("window.release()");
    }

    /// Records what a screen reader announces. It announces no message of an element that was hidden or new.
    void recordAnnouncements() {
        browser.run("""
                window.announcements = [];
                document.querySelectorAll('[role=status], [role=alert], [aria-live]').forEach((region) => {
                  if (region.checkVisibility() && region.closest('[aria-hidden=true]') === null) {
                    new MutationObserver(() => window.announcements.push(region.textContent))
                      .observe(region, { childList: true, subtree: true, characterData: true });
                  }
                });""");
    }

    /// Returns the announcements since [#recordAnnouncements] or the last call. The page may remove a message silently.
    @SuppressWarnings("unchecked")
    List<String> announcements() {
        return (List<String>) Objects
                .requireNonNull(browser.run("return window.announcements.splice(0).filter(Boolean)"));
    }

    /// Lets the test count the requests of the page, and let time pass. The clock of the system is set back.
    void installClockAndRequestCounter() {
        browser.run("""
                const { fetch } = window;
                const now = performance.now.bind(performance);
                window.requests = 0;
                window.passed = 0;
                window.fetch = (...request) => { window.requests++; return fetch(...request); };
                Date.now = () => 0;
                performance.now = () => now() + window.passed;""");
    }

    /// Lets time pass in the page. Returns the number of requests that the page then sends.
    long requestsAfter(Duration time) {
        return (Long) Objects.requireNonNull(browser.run("""
                window.passed += arguments[0];
                window.requests = 0;
                document.dispatchEvent(new Event('visibilitychange'));
                return window.requests;""", time.toMillis()));
    }
}
