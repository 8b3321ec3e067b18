package petstore.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import static org.assertj.core.api.Assertions.assertThat;

/// A Chromium browser in which tests find elements by role and accessible name, as users do.
public final class Browser implements AutoCloseable {

    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /// Selectors of the elements that may have a role.
    private static final Map<String, String> CANDIDATES = Map.of("button", "button", "link", "a", "textbox", "input",
            "combobox", "select", "heading", "h1,h2");
    private static final String AXE = resource("/axe.min.js");

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /// Returns true if Debian's packages chromium and chromium-driver are installed.
    public static boolean isInstalled() {
        return Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER);
    }

    /// Opens a window of 1280 × 800 pixels with an empty profile.
    public static Browser open() {
        return open(Map.of());
    }

    /// Opens a window in which the user has blocked the data of all sites.
    public static Browser openWithoutSiteData() {
        return open(Map.of("profile.default_content_setting_values.cookies", 2));
    }

    private static Browser open(Map<String, Object> preferences) {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(CHROMIUM.toFile());
        options.setExperimentalOption("prefs", preferences);
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--window-size=1280,800");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        Browser browser = new Browser(new ChromeDriver(
                new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile()).usingAnyFreePort().build(),
                options));
        browser.speedUpTimers();
        return browser;
    }

    /// Makes timers of a second or more 20 times as fast in all documents of the tab. A script can set `timerSpeed`.
    private void speedUpTimers() {
        driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", """
                window.timerSpeed = 20;
                for (const name of ['setTimeout', 'setInterval']) {
                  const original = window[name];
                  window[name] = (run, ms) => original(run, ms < 1000 ? ms : ms / window.timerSpeed);
                }"""));
    }

    /// Returns Selenium's driver, for everything without a method here.
    public ChromeDriver driver() {
        return driver;
    }

    public void visit(String url) {
        driver.get(url);
    }

    /// Opens a URL in a new tab and switches to the tab.
    public void visitInNewTab(String url) {
        driver.switchTo().newWindow(WindowType.TAB);
        speedUpTimers();
        driver.get(url);
    }

    /// Opens a copy of the tab with its session storage, and switches to the copy.
    public void duplicateTab() {
        run("window.open(location.href)");
        driver.switchTo().window(List.copyOf(driver.getWindowHandles()).getLast());
    }

    /// Switches to the first tab.
    public void switchToFirstTab() {
        driver.switchTo().window(driver.getWindowHandles().iterator().next());
    }

    /// Puts the tab to sleep, as browsers do with tabs in the background, or wakes it.
    public void freeze(boolean isFrozen) {
        if (isFrozen) {
            // Without a window, Chromium goes on delivering messages to a frozen tab.
            run("BroadcastChannel.prototype.postMessage = () => {}");
        }
        driver.executeCdpCommand("Page.setWebLifecycleState", Map.of("state", isFrozen ? "frozen" : "active"));
    }

    /// Closes all tabs but the first.
    public void closeOtherTabs() {
        List<String> tabs = List.copyOf(driver.getWindowHandles());
        for (String tab : tabs.subList(1, tabs.size())) {
            driver.switchTo().window(tab).close();
        }
        switchToFirstTab();
    }

    /// Inserts the whole text in one step, like an input method or the clipboard. Selenium cannot type characters beyond 16 bits.
    public void insert(WebElement field, String text) {
        field.click();
        driver.executeCdpCommand("Input.insertText", Map.of("text", text));
    }

    /// Returns the URL of the page.
    public String address() {
        return String.valueOf(driver.getCurrentUrl());
    }

    /// Emulates a device with a screen of this width.
    public void emulateWidth(int pixels) {
        driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
                Map.of("width", pixels, "height", 800, "deviceScaleFactor", 1, "mobile", false));
    }

    /// Saves downloads in a folder.
    public void downloadTo(Path folder) {
        driver.executeCdpCommand("Browser.setDownloadBehavior",
                Map.of("behavior", "allow", "downloadPath", folder.toString()));
    }

    /// Emulates the system's colour scheme, `light` or `dark`.
    public void emulateColorScheme(String name) {
        emulateFeature("prefers-color-scheme", name);
    }

    /// Emulates the colours that the system of a person forces on all pages, or ends that.
    public void emulateForcedColors(boolean isActive) {
        emulateFeature("forced-colors", isActive ? "active" : "none");
    }

    private void emulateFeature(String name, String value) {
        driver.executeCdpCommand("Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", name, "value", value))));
    }

    /// Emulates a device that people use with a finger, or ends that.
    public void emulateTouch(boolean isActive) {
        driver.executeCdpCommand("Emulation.setTouchEmulationEnabled", Map.of("enabled", isActive));
    }

    /// Emulates a CSS media type: `print`, or `screen` again.
    public void emulateMedium(String name) {
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("media", name));
    }

    /// Waits until exactly one visible element has this role and accessible name. Returns the element.
    public WebElement find(String role, String name) {
        return waitFor(role + " " + name).until(() -> findAll(role, name), found -> found.size() == 1).getFirst();
    }

    /// Returns true if a visible element has this role and accessible name now.
    public boolean has(String role, String name) {
        return !findAll(role, name).isEmpty();
    }

    @SuppressWarnings("unchecked")
    private List<WebElement> findAll(String role, String name) {
        List<WebElement> visible = (List<WebElement>) Objects.requireNonNull(run("""
                return [...document.querySelectorAll(arguments[0])]
                  .filter((each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }));""",
                Objects.requireNonNull(CANDIDATES.get(role))));
        return visible.stream().filter(element -> hasRoleAndName(element, role, name)).toList();
    }

    private static boolean hasRoleAndName(WebElement element, String role, String name) {
        try {
            return name.equals(String.valueOf(element.getAccessibleName()).strip())
                    && role.equals(element.getAriaRole());
        } catch (StaleElementReferenceException e) {
            return false;
        }
    }

    /// Changes the page as the translator of Chromium does: texts become upper case, inside of new elements.
    public void translate() {
        run("""
                const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
                const found = [];
                while (texts.nextNode()) {
                  found.push(texts.currentNode);
                }
                for (const text of found.filter((each) => !each.parentElement.closest('[translate=no], script, template'))) {
                  const [outer, inner] = ['font', 'font'].map((name) => document.createElement(name));
                  inner.textContent = text.data.toUpperCase();
                  outer.append(inner);
                  text.replaceWith(outer);
                }""");
    }

    /// Waits until a condition of the page or its service is true.
    public void await(String what, Callable<Boolean> condition) {
        waitFor(what).until(condition);
    }

    private static ConditionFactory waitFor(String what) {
        return Awaitility.await(what).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(50)).atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(StaleElementReferenceException.class);
    }

    /// Waits until the page shows a text.
    public void awaitText(String text) {
        waitFor(text).until(this::text, shown -> shown.contains(text));
    }

    /// Returns the visible text of the page.
    public String text() {
        return driver.findElement(By.tagName("body")).getText();
    }

    /// Returns the text of the cells, for each row of the table body.
    public List<List<String>> rows() {
        return runForRows(
                "return [...document.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.textContent))");
    }

    @SuppressWarnings("unchecked")
    private List<List<String>> runForRows(String script) {
        return (List<List<String>>) Objects.requireNonNull(run(script));
    }

    /// Runs a script in the page. Returns its result.
    public @Nullable Object run(String script, Object... arguments) {
        return ((JavascriptExecutor) driver).executeScript(script, arguments);
    }

    /// Runs a script that returns texts.
    @SuppressWarnings("unchecked")
    public List<String> texts(String script, Object... arguments) {
        return (List<String>) Objects.requireNonNull(run(script, arguments));
    }

    /// Returns the axe-core rules that the page violates, with impact and elements.
    @SuppressWarnings("unchecked")
    public List<String> axe() {
        if (Boolean.FALSE.equals(run("return 'axe' in window"))) {
            run(AXE);
        }
        return (List<String>) Objects.requireNonNull(driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                axe.run().then(result => done(result.violations.map(each =>
                    `${each.impact} ${each.id}: ${each.nodes.map(node => node.target.join(' ')).join(', ')}`)));"""));
    }

    /// Returns the console messages since the last call.
    public List<String> console() {
        return Stream.of(driver.manage().logs().get(LogType.BROWSER)).flatMap(lines -> lines.getAll().stream())
                .map(LogEntry::getMessage).toList();
    }

    /// Types into the element that has the focus.
    public void type(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    /// Fails unless an element has the focus.
    public void assertFocused(WebElement element) {
        waitFor("focus").untilAsserted(() -> assertThat(driver.switchTo().activeElement()).isEqualTo(element));
    }

    private static String resource(String name) {
        try (InputStream file = Browser.class.getResourceAsStream(name)) {
            if (file == null) {
                throw new IllegalStateException("there is no resource " + name);
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
