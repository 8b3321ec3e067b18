package petstore.process;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import petstore.testkit.Browser;
import petstore.testkit.PathProxy;
import petstore.testkit.PetstoreProcess;

import static org.assertj.core.api.Assertions.assertThat;

/// The page for people: how users sign in, and how it reacts to the state of its service.
class PageIT extends AbstractPageTest {

    @Test
    void keepsTypedKeyOutOfAddressAndSharesItWithTabs() {
        browser.visit(page);
        WebElement field = browser.find("textbox", "API key");
        browser.assertFocused(field);
        assertThat(field.getDomAttribute("type")).isEqualTo("password");
        assertThat(browser.driver().findElement(By.className("account")).isDisplayed())
                .as("the field for password managers covers the label").isFalse();
        assertAccessible();
        recordAnnouncements();
        browser.type("a-key-that-is-wrong", Keys.ENTER);
        browser.awaitText("This API key is not accepted: it is wrong, revoked or expired.");
        assertThat(announcements()).containsExactly("This API key is not accepted: it is wrong, revoked or expired.");
        assertAccessible();
        browser.type(Keys.chord(Keys.CONTROL, "a"), KEY, Keys.ENTER);
        browser.assertFocused(browser.find("heading", "All animals"));
        browser.awaitText("There are no animals yet. Add the first one below.");
        assertAccessible();
        assertThat(browser.address()).isEqualTo(page);
        assertThat(String.valueOf(browser.run("return JSON.stringify(localStorage) + document.cookie")))
                .doesNotContain(KEY);

        browser.visitInNewTab(page);
        browser.find("heading", "All animals");
        recordAnnouncements();
        browser.find("button", "Sign out").click();
        browser.awaitText("You have signed out.");
        assertThat(announcements()).endsWith("You have signed out.");
        browser.switchToFirstTab();
        browser.find("heading", "Sign in");
        assertThat(browser.run("return sessionStorage.length")).isEqualTo(0L);
    }

    /// Tabs keep copies of the session storage: the first one while it shows another page, the other as a duplicate.
    @Test
    void signsOutTabsThatShowOtherPagesAndCopies() {
        signIn();
        browser.duplicateTab();
        browser.find("heading", "All animals");
        List<String> others = List.copyOf(browser.driver().getWindowHandles());
        browser.visitInNewTab(page);
        browser.find("heading", "All animals");
        String last = browser.driver().getWindowHandle();
        others.forEach(tab -> browser.driver().switchTo().window(tab).get(page + "docs"));
        browser.driver().switchTo().window(last);
        browser.find("button", "Sign out").click();
        browser.awaitText("You have signed out.");
        others.forEach(tab -> {
            browser.driver().switchTo().window(tab).navigate().back();
            browser.find("heading", "Sign in");
        });
        browser.driver().switchTo().window(last);
        browser.driver().navigate().refresh();
        browser.find("heading", "Sign in");
        assertThat(String.valueOf(browser.run("return JSON.stringify({ ...localStorage, ...sessionStorage })")))
                .doesNotContain(KEY);
        // A tab has sent the first key before the sign-out.
        browser.run(
                """
                        const tabs = new BroadcastChannel('petstore.tabs ' + location.pathname);
                        tabs.postMessage({ key: arguments[0], word: null });
                        tabs.postMessage({ key: 'a-key-that-is-wrong', word: localStorage.getItem('petstore.sign-out ' + location.pathname) });""",
                KEY);
        browser.awaitText("This API key is not accepted: it is wrong, revoked or expired.");

        browser.find("textbox", "API key").sendKeys(KEY, Keys.ENTER);
        browser.find("heading", "All animals");
        browser.switchToFirstTab();
        browser.find("heading", "All animals");
    }

    @Test
    void endsSignInAfterSignOutInOtherTab() {
        PathProxy proxy = serveThroughProxy();
        signIn();
        proxy.intercept(503, error(503));
        browser.visitInNewTab(page);
        String second = browser.driver().getWindowHandle();
        browser.awaitText("The service is starting or busy.");
        browser.switchToFirstTab();
        browser.find("button", "Sign out").click();
        browser.driver().switchTo().window(second);
        browser.awaitText("You have signed out.");
    }

    /// One host may have several services, each below a path.
    @Test
    void keepsItsDataUnderItsPath() {
        signIn();
        browser.find("textbox", "Name").sendKeys("Rex");
        assertThat(browser.run("return Object.keys({ ...localStorage, ...sessionStorage }).join()")).asString()
                .contains("draft").matches("(petstore\\.[a-z-]+ /,?)+");
    }

    @Test
    void signsOutWhileServiceIsDown() {
        PathProxy proxy = serveThroughProxy();
        signIn();
        proxy.intercept(503, error(503));
        browser.driver().navigate().refresh();
        browser.awaitText("The service is starting or busy.");
        browser.find("button", "Sign out").click();
        browser.awaitText("You have signed out.");
        assertThat(keyOfTab()).isNull();
        assertThat(browser.has("button", "Sign out")).isFalse();
    }

    @Test
    void asksBeforeLinkReplacesKey() {
        String other = createKey();
        signIn();
        browser.visitInNewTab(page);
        browser.find("heading", "All animals");
        browser.visitInNewTab(page + "#key=" + other);
        browser.assertFocused(browser.find("heading", "Use another API key?"));
        assertThat(browser.address()).isEqualTo(page);
        assertAccessible();
        browser.find("button", "Stay signed in as before").click();
        browser.find("heading", "All animals");
        assertThat(keyOfTab()).isEqualTo(KEY);

        followLink(KEY);
        browser.await("the address", () -> browser.address().equals(page));
        browser.find("heading", "All animals");
        followLink(other);
        browser.find("heading", "Use another API key?");
        assertThat(browser.address()).isEqualTo(page);
        assertThat(browser.has("heading", "All animals")).isFalse();
        installClockAndRequestCounter();
        assertThat(requestsAfter(Duration.ofMinutes(1))).as("of the hidden list").isZero();
        browser.find("button", "Use the API key of the link").click();
        browser.find("heading", "All animals");
        assertThat(keyOfTab()).isEqualTo(other);

        followLink("a-key-that-is-wrong");
        browser.find("button", "Use the API key of the link").click();
        browser.awaitText("This API key is not accepted: it is wrong, revoked or expired.");
        assertAccessible();
        assertThat(keyOfTab()).isEqualTo(other);
        browser.find("button", "Stay signed in as before").click();
        browser.find("heading", "All animals");
        followLink("another-key");
        browser.find("button", "Use the API key of the link");
        assertThat(browser.text()).doesNotContain("not accepted");
    }

    @Test
    void asksBeforeLinkReplacesKeyOfTabThatIsAsleep() {
        String other = createKey();
        signIn();
        browser.freeze(true);
        browser.visitInNewTab(page + "#key=" + other);
        browser.find("heading", "Use another API key?");
        browser.closeOtherTabs();
        browser.freeze(true);
        browser.visitInNewTab(page + "#key=" + KEY);
        browser.find("heading", "All animals");
        browser.find("button", "Sign out").click();
        browser.awaitText("You have signed out.");
        browser.switchToFirstTab();
        browser.freeze(false);
        browser.find("heading", "Sign in");
        browser.visitInNewTab(page + "#key=" + other);
        browser.find("heading", "All animals");
    }

    /// All tabs get the answers to each question.
    @Test
    void ignoresKeysOfTabsOnceSignedInOrAsked() {
        String other = createKey();
        signIn();
        browser.visitInNewTab(page);
        browser.find("heading", "All animals");
        browser.run("sessionStorage.setItem('petstore.key ' + location.pathname, arguments[0])", other);
        browser.visitInNewTab(page + "#key=" + createKey("pets:read"));
        browser.find("heading", "Use another API key?");
        String asking = browser.driver().getWindowHandle();
        double before = probes();
        browser.visitInNewTab(page);
        browser.find("heading", "All animals");
        assertThat(keyOfTab()).isIn(KEY, other);
        browser.driver().switchTo().window(asking);
        assertThat(browser.has("heading", "Use another API key?")).isTrue();
        assertThat(keyOfTab()).isNull();
        assertThat(probes() - before).isOne();
    }

    /// Returns the number of requests that ask for the scopes of a key.
    private double probes() {
        return service.metric("http_server_request_duration_seconds_count", "http_request_method=\"POST\"");
    }

    private void followLink(String key) {
        browser.run("location.hash = '#key=' + arguments[0]", key);
    }

    private @Nullable Object keyOfTab() {
        return browser.run("return sessionStorage.getItem('petstore.key ' + location.pathname)");
    }

    /// A sign-in proxy or a firewall answers with any status, with JSON too. A sign-in in another tab sets a cookie.
    @Test
    void signsInOnlyByResponsesOfService() {
        PathProxy proxy = serveThroughProxy();
        proxy.intercept(200, HTML);
        browser.visit(page + "#key=" + KEY);
        browser.awaitText("Something else answered in place of the service");
        for (int status : List.of(200, 201, 302, 304, 401, 403, 404, 413, 503)) {
            for (String body : status == 304 ? List.of("") : List.of(HTML, "{\"status\":\"ok\"}", "[]")) {
                assertTriesOn(proxy, status, body, "Something else answered in place of the service");
                assertThat(browser.has("heading", "Sign in")).isTrue();
            }
        }
        assertAccessible();
        browser.run("document.cookie = 'signed=in'");
        browser.find("heading", "All animals");
        browser.run("document.cookie = 'signed=in; max-age=0'");
    }

    @Test
    void namesSettingIfSiteDataIsBlocked() {
        try (Browser blocked = Browser.openWithoutSiteData()) {
            blocked.visit(page + "#key=" + KEY);
            blocked.awaitText("Allow cookies and site data for this site");
            assertThat(blocked.address()).isEqualTo(page);
            blocked.run("location.hash = '#key=' + arguments[0]", KEY);
            browser.await("the address", () -> blocked.address().equals(page));
            assertThat(blocked.axe()).isEmpty();
            assertThat(blocked.console()).isEmpty();
        }
    }

    /// The second tab shows another page at times, so that no message reaches it.
    @Test
    void worksAndSignsOutEveryTabIfBrowserStoresNothing() {
        signIn();
        browser.visitInNewTab(page);
        browser.find("heading", "All animals");
        String second = browser.driver().getWindowHandle();
        browser.visit(page + "docs");
        browser.switchToFirstTab();
        refuseWrites("true");
        browser.find("button", "Sign out").click();
        browser.awaitText("You have signed out.");

        browser.driver().switchTo().window(second).navigate().back();
        refuseWrites("this === localStorage");
        browser.find("textbox", "API key").sendKeys(KEY, Keys.ENTER);
        fillForm("Rex", "7");
        browser.find("button", "Add animal").click();
        browser.awaitText("Added Rex as animal 1.");
        browser.switchToFirstTab();
        browser.find("textbox", "API key").sendKeys(KEY, Keys.ENTER);
        browser.find("heading", "All animals");
        browser.driver().switchTo().window(second);
        browser.find("button", "Sign out").click();
        browser.awaitText("You have signed out.");
        browser.type(KEY, Keys.ENTER);
        browser.find("heading", "All animals");
        browser.visit(page + "docs");

        browser.switchToFirstTab();
        browser.find("heading", "Sign in");
        followLink(KEY);
        browser.find("heading", "All animals");
        followLink("a-key-that-is-wrong");
        browser.find("button", "Stay signed in as before").click();
        browser.find("button", "Sign out").click();
        browser.awaitText("You have signed out.");
        browser.driver().switchTo().window(second).navigate().back();
        browser.find("heading", "Sign in");
    }

    /// The browser has no locks either.
    private void refuseWrites(String condition) {
        browser.run("""
                const { setItem } = Storage.prototype;
                Storage.prototype.setItem = function (...item) {
                  if (%s) {
                    throw new DOMException('full', 'QuotaExceededError');
                  }
                  setItem.apply(this, item);
                };
                navigator.locks.query = () => Promise.reject(new DOMException('off', 'SecurityError'));
                navigator.locks.request = navigator.locks.query;""".formatted(condition));
    }

    @Test
    void sharesHeaderWithReference() {
        addAnimals(25);
        signIn();
        for (String scheme : List.of("light", "dark")) {
            browser.emulateColorScheme(scheme);
            String first = headerOf("");
            assertThat(headerOf("docs")).as(scheme).isEqualTo(first).contains("Petstore Animals Service", "Animals",
                    "API reference", "paw");
        }
        browser.find("link", "Animals").click();
        awaitFirstRow("1");
    }

    /// Returns the elements of the header that both pages have, with their places and colours.
    private String headerOf(String path) {
        browser.visit(page + path);
        assertThat(browser.run("return document.querySelector('.bar [aria-current=page]').href"))
                .isEqualTo(page + path);
        return String.valueOf(browser.run("""
                const [title, links] = document.querySelector('.bar > div').children;
                const { left, top, height } = title.getBoundingClientRect();
                const { backgroundColor, font } = getComputedStyle(document.querySelector('.bar'));
                return [title.outerHTML, links.outerHTML.replace(' aria-current="page"', ''), left, top, height,
                  links.getBoundingClientRect().left, backgroundColor, font,
                  getComputedStyle(document.body).backgroundColor].join(' ');"""));
    }

    /// The two pages share the origin, and the page keeps an API key.
    @Test
    void assignsNoTextAsHtmlOnEitherPage() {
        for (String path : List.of("", "docs")) {
            browser.visit(page + path);
            assertThat(browser
                    .run("""
                            const refusals = [() => { document.createElement('p').innerHTML = '<b>x</b>'; },
                              () => { document.createElement('script').text = 'x'; },
                              () => { trustedTypes.createPolicy('default', { createHTML: (html) => html }); },
                              () => { trustedTypes.createPolicy('any', { createHTML: (html) => html }); }];
                            return refusals.map((run) => { try { run(); return 'allowed'; } catch (e) { return e.name; } });"""))
                    .as("/" + path).isEqualTo(List.of("TypeError", "TypeError", "TypeError", "TypeError"));
        }
        assertThat(browser.console()).hasSize(8);
    }

    @Test
    void signsInByLinkAndRemovesKeyFromAddress() {
        browser.visit(page + "?status=sold#key=" + KEY.replace("-", "%2D"));
        browser.find("heading", "Sold animals");
        assertThat(browser.address()).isEqualTo(page + "?status=sold");
        assertThat(service.unfilteredErr()).noneMatch(line -> line.contains(KEY));
    }

    @Test
    void showsListOrFormAccordingToScopeOfKey() {
        String readKey = createKey("pets:read");
        String writeKey = createKey("pets:write");
        browser.visit(page + "#key=" + readKey);
        browser.awaitText("Your API key may not add animals.");
        assertThat(browser.has("button", "Add an animal")).isFalse();
        assertThat(browser.has("heading", "Add an animal")).isFalse();
        assertAccessible();
        browser.find("button", "Sign out").click();
        browser.visit(page + "#key=" + writeKey);
        browser.awaitText("Your API key may only add animals, so the list is not shown.");
        assertThat(browser.has("heading", "All animals")).isFalse();
        browser.find("textbox", "Name").sendKeys("Rex");
        browser.find("textbox", "Category").sendKeys("7", Keys.ENTER);
        browser.awaitText("Added Rex as animal 1.");
        assertThat(browser.has("link", "Show it in the list")).isFalse();
        assertAccessible();
    }

    @Test
    void worksBehindProxyWithPathPrefix() {
        restartService("--base-url", "https://shop.example/animals/v1");
        addAnimals(25);
        var _ = serveThroughProxy();
        signIn();
        browser.find("link", "Next page").click();
        awaitFirstRow("21");
        assertThat(browser.address()).isEqualTo(page + "?after=20");
        fillForm("Rex", "7");
        browser.find("button", "Add animal").click();
        browser.awaitText("Added Rex as animal 26.");
        browser.find("link", "Show it in the list").click();
        browser.awaitText("Animal 26 is marked.");
        assertThat(browser.address()).isEqualTo(page + "?after=25#animal-26");
        browser.find("link", "API reference").click();
        browser.awaitText("/pets");
        assertThat(browser.address()).isEqualTo(page + "docs");
    }

    /// A suspended service accepts requests, and so does a firewall that drops the responses.
    @Test
    void triesAgainIfNoResponseComes() {
        signIn();
        browser.run("const { timeout } = AbortSignal; AbortSignal.timeout = (ms) => timeout(ms / 60);");
        service.signal("STOP");
        try {
            browser.find("combobox", "Show").sendKeys("sold");
            browser.awaitText("The service cannot be reached.");
        } finally {
            service.signal("CONT");
        }
        browser.awaitText("No animal has this status.");
    }

    /// A log would store the key that the link contains. Behind a proxy, only the base URL has the address for users.
    @Test
    void servicePrintsSignInLinkOnlyOnTerminal() {
        String baseUrl = "--base-url=https://shop.example/animals/v1";
        try (PetstoreProcess log = PetstoreProcess.serve(folder.resolve("log"), baseUrl).awaitReady()) {
            assertThat(log.firstKey()).isPresent();
            assertThat(log.out()).noneMatch(line -> line.contains("#key="));
            assertThat(log.unfilteredErr()).noneMatch(line -> line.contains("#key="));
        }
        withLinkOnTerminal("shop", link -> assertThat(link).matches("https://shop\\.example/animals/#key=pets_\\w+"),
                baseUrl);
        withLinkOnTerminal("local", link -> {
            browser.visit(link);
            browser.awaitText("There are no animals yet.");
            assertThat(browser.address()).doesNotContain("#");
        });
    }

    /// Starts another service on a terminal, and passes the link that it prints to a test.
    private void withLinkOnTerminal(String name, Consumer<String> test, String... options) {
        List<String> terminal = List.of("sh", "-c", "exec script -qec \"$*\" /dev/null", "sh");
        try (PetstoreProcess other = PetstoreProcess.serveThrough(terminal, folder.resolve(name), options)
                .awaitReady()) {
            String line = other.out().stream().filter(each -> each.contains("#key=")).findFirst().orElseThrow();
            test.accept(line.substring(line.indexOf("http")).strip());
            ProcessHandle.of(other.pid()).orElseThrow().descendants().forEach(ProcessHandle::destroy);
            var _ = other.ending();
        }
    }
}
