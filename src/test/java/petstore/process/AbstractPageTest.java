package petstore.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
import petstore.testkit.PathProxy;
import petstore.testkit.PetstoreProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/// A service and a browser for tests of the page for people. The browser finds elements by role and name, as people do.
@Tag("browser")
@Execution(ExecutionMode.SAME_THREAD)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // JUnit sets the fields before each test.
abstract class AbstractPageTest {

    static final String KEY = "key-of-the-shop-0123456789";
    /// 2^53 + 1, the smallest positive integer that a JavaScript number cannot represent.
    static final String ABOVE_SAFE_INTEGER = "9007199254740993";
    /// A page of a sign-in proxy or a firewall.
    static final String HTML = "<!DOCTYPE html><title>Sign in</title>";

    Browser browser;
    @TempDir
    Path folder;
    PetstoreProcess service;
    /// The address of the page.
    String page;
    private Optional<PathProxy> proxy = Optional.empty();

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

    /// Serves the page below a path, through a proxy that can replace responses, until the test ends.
    PathProxy serveThroughProxy() {
        PathProxy opened = new PathProxy("/animals/", service.port());
        proxy = Optional.of(opened);
        page = opened.address();
        return opened;
    }

    @AfterEach
    void stopService() {
        browser.closeOtherTabs();
        browser.run("if (origin !== 'null') sessionStorage.clear()");
        assertThat(browser.console()).as("messages in the console")
                .allMatch(line -> line.contains("Failed to load resource") && !line.contains("/page/"));
        browser.visit("about:blank");
        proxy.ifPresent(PathProxy::close);
        proxy = Optional.empty();
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
        browser.await("the list", () -> "false"
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
        return PetstoreProcess.run(command.toArray(String[]::new)).out().getFirst();
    }

    void awaitFirstRow(String id) {
        browser.await("row " + id, () -> browser.rows().stream().findFirst().filter(row -> row.getFirst().equals(id))
                .isPresent());
    }

    /// Returns an error of the service.
    static String error(int status) {
        return "{\"status\":" + status + ",\"code\":\"x\",\"message\":\"x\"}";
    }

    /// Replaces the responses while the page tries again by itself. Asserts that it tries on and shows a text.
    void assertTriesOn(PathProxy proxy, int status, String body, String text) {
        int before = proxy.responses();
        browser.run("window.timerSpeed = 100");
        proxy.intercept(status, body, "Location", page + "docs");
        // The first of them may be the last one of before, and the page has read the second when it asks for the third.
        browser.await("three responses", () -> proxy.responses() > before + 2);
        assertThat(browser.text()).as(status + " " + body).contains(text);
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
    List<String> announcements() {
        return browser.texts("return window.announcements.splice(0).filter(Boolean)");
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

    void letTimePass(Duration time) {
        browser.run("window.passed += arguments[0]", time.toMillis());
    }

    /// Waits until timers of a second have ended this many times, one after another.
    void awaitTimers(int count) {
        for (int i = 0; i < count; i++) {
            browser.driver().executeAsyncScript("setTimeout(arguments[arguments.length - 1], 1000)");
        }
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
