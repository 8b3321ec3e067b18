package petstore.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;
import petstore.testkit.PathProxy;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The page's list of animals.
class PageListIT extends AbstractPageTest {

    private static final String GREATEST = "9223372036854775807";

    @Test
    void hasAddressForEachPageAndFilter() {
        addAnimals(45);
        signIn();
        assertAccessible();
        for (int width : List.of(360, 400, 1280)) {
            browser.emulateWidth(width);
            assertThat(browser.run("const { scrollWidth, clientWidth } = document.getElementById('list-table');"
                    + "return scrollWidth - clientWidth")).as("hidden part of the table at " + width + " px")
                    .isEqualTo(0L);
        }
        browser.awaitText("Animals on this page: 20, ids 1 to 20");
        assertThat(browser.rows()).hasSize(20).first().isEqualTo(List.of("1", "Animal 1", "7", "available"));
        browser.find("link", "Next page").click();
        awaitFirstRow("21");
        assertThat(browser.address()).isEqualTo(page + "?after=20");
        assertThat(browser.has("link", "First page")).isFalse();
        browser.find("link", "Next page").click();
        awaitFirstRow("41");
        assertThat(browser.has("link", "Next page")).isFalse();
        browser.find("link", "Previous page").click();
        awaitFirstRow("21");
        browser.driver().navigate().refresh();
        awaitFirstRow("21");
        browser.find("link", "Previous page").click();
        awaitFirstRow("1");

        WebElement filter = browser.find("combobox", "Show");
        filter.sendKeys("sold");
        awaitFirstRow("2");
        browser.assertFocused(filter);
        assertThat(browser.address()).isEqualTo(page + "?status=sold");
        browser.driver().navigate().back();
        awaitFirstRow("1");
        assertThat(browser.find("combobox", "Show").getDomProperty("value")).isEmpty();

        browser.visitInNewTab(page + "?status=sold&after=20");
        awaitFirstRow("22");
        assertThat(browser.has("link", "Previous page")).isFalse();
        browser.find("link", "First page").click();
        awaitFirstRow("2");
    }

    @Test
    void leavesFocusToSomebodyWhoTypesWhenListArrives() {
        addAnimals(45);
        browser.visit(page);
        WebElement key = browser.find("textbox", "API key");
        holdResponses("GET");
        key.sendKeys(KEY, Keys.ENTER);
        WebElement name = browser.find("textbox", "Name");
        name.sendKeys("typ");
        releaseResponses();
        awaitFirstRow("1");
        browser.type("ing");
        assertThat(name.getDomProperty("value")).isEqualTo("typing");
        holdResponses("GET");
        browser.find("link", "Next page").click();
        name.sendKeys(" on");
        releaseResponses();
        awaitFirstRow("21");
        browser.type("ly");
        assertThat(name.getDomProperty("value")).isEqualTo("typing only");
        browser.find("link", "Previous page").click();
        browser.assertFocused(browser.find("heading", "All animals"));
        awaitFirstRow("1");

        browser.find("button", "Sign out").click();
        WebElement other = browser.find("textbox", "API key");
        holdResponses("GET");
        other.sendKeys(createKey("pets:write"), Keys.ENTER);
        name.sendKeys(" here");
        releaseResponses();
        browser.awaitText("Your API key may only add animals");
        browser.assertFocused(name);
    }

    @Test
    void showsChangesAndKeepsRowsMarkAndFocus() {
        addAnimals(5);
        signIn();
        browser.find("textbox", "Find by id").sendKeys("3", Keys.ENTER);
        browser.awaitText("Animal 3 is marked.");
        WebElement row = browser.driver().findElement(By.cssSelector("tr[aria-current]"));
        browser.assertFocused(row);
        installClockAndRequestCounter();
        browser.run(
                """
                        window.removed = 0;
                        new MutationObserver((changes) => changes.forEach((each) => { window.removed += each.removedNodes.length; }))
                          .observe(document.getElementById('rows'), { childList: true });""");
        try (StoreFile store = new StoreFile(folder.resolve("data"))) {
            store.execute("UPDATE pet SET name = 'Tom', status = 'sold' WHERE id = 3");
            store.execute("DELETE FROM pet WHERE id = 4");
            addAnimals(1);
            letTimePass(Duration.ofSeconds(10));
            browser.await("the new row", () -> browser.rows().getLast().getFirst().equals("6"));
            assertThat(browser.rows()).extracting(List::getFirst).containsExactly("3", "5", "6");
            assertThat(browser.rows().getFirst()).isEqualTo(List.of("3", "Tom", "7", "sold"));
            browser.assertFocused(row);
            assertThat(row.getDomAttribute("aria-current")).isEqualTo("true");
            assertThat(browser.run("return window.removed")).isEqualTo(1L);
            store.execute("DELETE FROM pet WHERE id = 3");
            addAnimals(1);
            requestsAfter(Duration.ofMinutes(1));
            awaitFirstRow("5");
        }
        browser.assertFocused(browser.find("heading", "All animals"));
    }

    @Test
    void refreshesOneAtATimeAndOnceMoreIfSomebodyAddsMeanwhile() {
        addAnimals(1);
        signIn();
        installClockAndRequestCounter();
        addAnimals(1);
        holdResponses("GET");
        requestsAfter(Duration.ofMinutes(1));
        requestsAfter(Duration.ofMinutes(1));
        fillForm("Rex", "7");
        browser.find("button", "Add animal").click();
        browser.awaitText("Added Rex as animal 3.");
        // The page asks every second, or 50 ms of the test, whether it has to refresh.
        awaitTimers(3);
        releaseResponses();
        await("the new rows").atMost(Duration.ofSeconds(5)).until(() -> browser.rows().size() == 3);
        assertThat(browser.run("return window.mostHeld")).isEqualTo(1L);
    }

    @Test
    void announcesWhatSomebodyAskedForButNoRefresh() {
        addAnimals(44);
        api().post("{\"name\":\"Rex\",\"categoryId\":7,\"status\":\"pending\"}");
        signIn();
        recordAnnouncements();
        WebElement filter = browser.find("combobox", "Show");
        filter.sendKeys("sold");
        awaitFirstRow("2");
        assertThat(announcements()).endsWith("20 animals, sold");
        browser.find("link", "Next page").click();
        awaitFirstRow("42");
        assertThat(announcements()).endsWith("2 animals, sold");
        filter.sendKeys("pending");
        awaitFirstRow("45");
        assertThat(announcements()).endsWith("1 animal, pending");
        filter.sendKeys(Keys.HOME);
        awaitFirstRow("1");
        assertThat(announcements()).endsWith("20 animals");
        WebElement id = browser.find("textbox", "Find by id");
        id.sendKeys("45", Keys.ENTER);
        awaitFirstRow("45");
        assertThat(announcements()).endsWith("Animal 45 is marked.");
        for (int i = 0; i < 2; i++) {
            id.sendKeys("x", Keys.ENTER);
            assertThat(announcements()).endsWith("An id is a whole number, for example 17.");
        }
        installClockAndRequestCounter();
        addAnimals(1);
        requestsAfter(Duration.ofMinutes(1));
        browser.await("the new row", () -> browser.rows().size() == 2);
        assertThat(announcements()).isEmpty();
    }

    @Test
    void outlinesMarkedAnimalInForcedColours() {
        addAnimals(2);
        signIn();
        browser.find("textbox", "Find by id").sendKeys("1", Keys.ENTER);
        browser.awaitText("Animal 1 is marked.");
        browser.find("textbox", "Name").click();
        String outlines = "return [...document.querySelectorAll('tbody tr')].map(row => getComputedStyle(row).outlineStyle)";
        assertThat(browser.run(outlines)).isEqualTo(List.of("none", "none"));
        browser.emulateForcedColors(true);
        assertThat(browser.run(outlines)).isEqualTo(List.of("solid", "none"));
        assertThat(browser.run("""
                const save = document.getElementById('save');
                const free = getComputedStyle(save).color;
                save.setAttribute('aria-disabled', 'true');
                return free !== getComputedStyle(save).color;""")).as("a locked button differs").isEqualTo(true);
        browser.emulateForcedColors(false);
    }

    @Test
    void leavesNoListenersBehindWhileServiceIsBusy() {
        PathProxy proxy = serveThroughProxy();
        signIn();
        browser.run("""
                window.listeners = 0;
                for (const [name, change] of [['addEventListener', 1], ['removeEventListener', -1]]) {
                  const original = AbortSignal.prototype[name] ?? EventTarget.prototype[name];
                  AbortSignal.prototype[name] = function (...given) {
                    window.listeners += change;
                    return original.apply(this, given);
                  };
                }""");
        proxy.intercept(503, error(503));
        browser.find("combobox", "Show").sendKeys("sold");
        browser.await("the third try", () -> proxy.responses() > 2);
        assertThat((Long) Objects.requireNonNull(browser.run("return window.listeners"))).isLessThan(2);
        proxy.endInterception();
        browser.awaitText("No animal has this status.");
        assertThat(browser.run("return window.listeners")).isEqualTo(0L);
    }

    @Test
    void findsAnimalByIdWithoutDeprecatedOperation() {
        addAnimals(30);
        signIn();
        WebElement id = browser.find("textbox", "Find by id");
        id.sendKeys("25", Keys.ENTER);
        browser.awaitText("Animal 25 is marked.");
        assertThat(browser.address()).isEqualTo(page + "?after=24#animal-25");
        assertThat(browser.rows().getFirst().getFirst()).isEqualTo("25");
        assertAccessible();
        for (String missing : List.of("31", GREATEST, "0", "-1", "99999999999999999999")) {
            id.clear();
            id.sendKeys(missing, Keys.ENTER);
            browser.awaitText("There is no animal " + missing + ".");
        }
        id.clear();
        id.sendKeys("one", Keys.ENTER);
        browser.awaitText("An id is a whole number");
        assertThat(service.metric("http_server_request_duration_seconds_count", "http_route=\"/v1/pets/{petId}\""))
                .isZero();
        id.clear();
        browser.insert(id, "\u0662\u0967");
        browser.type(Keys.ENTER);
        browser.awaitText("Animal 21 is marked.");
        assertThat(((JavascriptExecutor) browser.driver()).executeAsyncScript(
                """
                        const done = arguments[arguments.length - 1];
                        import('./page/exact.js').then(({ withAsciiDigits }) => {
                          const all = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point));
                          done(withAsciiDigits(all.filter((each) => /\\p{Nd}/u.test(each)).join('')).replaceAll('0123456789', ''));
                        });"""))
                .as("digits of all scripts").isEqualTo("");
    }

    @Test
    void savesAllPagesAsCsv() throws IOException {
        addAnimals(130);
        api().post("{\"name\":\"x;=1+1, \\\"x\\\"\\n\",\"categoryId\":" + ABOVE_SAFE_INTEGER + ",\"status\":\"sold\"}");
        signIn();
        browser.downloadTo(folder);
        browser.find("combobox", "Show").sendKeys("sold");
        awaitFirstRow("2");
        browser.find("button", "Save all pages for a spreadsheet (CSV)").click();
        browser.awaitText("Saved 66 animals.");
        Path file = folder.resolve("animals-sold.csv");
        browser.await("the file", () -> Files.exists(file));
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(68).startsWith("\uFEFFid,name,categoryId,status", "2,'Animal 2,7,sold");
        assertThat(lines).endsWith("131,\"'x;'=1+1, \"\"x\"\"", "'\",'" + ABOVE_SAFE_INTEGER + ",sold");
    }

    @Test
    void savesWhileAnotherPageIsOpened() {
        addAnimals(45);
        PathProxy proxy = serveThroughProxy();
        signIn();
        browser.downloadTo(folder);
        proxy.intercept(503, error(503));
        browser.find("button", "Save all pages for a spreadsheet (CSV)").click();
        browser.await("the first try", () -> proxy.responses() > 0);
        browser.find("link", "Next page").click();
        proxy.endInterception();
        browser.awaitText("Saved 45 animals.");
        browser.await("the file", () -> Files.exists(folder.resolve("animals.csv")));
        awaitFirstRow("21");
    }

    @Test
    void showsAnimalThatIsAddedAfterItWasNotFound() {
        addAnimals(30);
        signIn();
        installClockAndRequestCounter();
        browser.find("textbox", "Find by id").sendKeys("31", Keys.ENTER);
        browser.awaitText("There is no animal 31.");
        addAnimals(1);
        requestsAfter(Duration.ofMinutes(1));
        awaitFirstRow("31");
        assertThat(browser.text()).doesNotContain("There is no animal 31.");
    }

    /// Signing in sends two requests.
    @Test
    void pollsWhileMoreThanHalfOfRateLimitRemains() {
        restartService("--rate-limit", "4/1h");
        signIn();
        installClockAndRequestCounter();
        assertThat(requestsAfter(Duration.ofMinutes(1))).as("half of the limit remains").isZero();
        assertThat(requestsAfter(Duration.ofHours(1))).as("the period of the limit has passed").isOne();

        restartService("--rate-limit", "5/1h");
        signIn();
        installClockAndRequestCounter();
        assertThat(requestsAfter(Duration.ofMinutes(1))).as("more than half of the limit remains").isOne();
    }

    @Test
    void showsNothingUntilServiceAnswers() {
        addAnimals(45);
        PathProxy proxy = serveThroughProxy();
        signIn();
        proxy.intercept(200, HTML, "Link", "garbage");
        browser.find("link", "Next page").click();
        browser.awaitText("Something else answered in place of the service");
        assertThat(browser.address()).isEqualTo(page + "?after=20");
        assertAccessible();
        for (String body : List.of("[{\"id\":1}]", "{}", "null")) {
            assertTriesOn(proxy, 200, body, "Something else answered in place of the service");
        }
        assertThat(browser.rows()).isEmpty();
        browser.find("textbox", "Find by id").sendKeys("one", Keys.ENTER);
        assertThat(browser.text()).contains("An id is a whole number",
                "Something else answered in place of the service");
        proxy.endInterception();
        awaitFirstRow("21");
        installClockAndRequestCounter();
        proxy.intercept(304, "");
        requestsAfter(Duration.ofMinutes(1));
        browser.await("a response", () -> proxy.responses() > 0);
        assertThat(browser.rows()).hasSize(20);
        browser.find("combobox", "Show").sendKeys("sold");
        browser.awaitText("Something else answered in place of the service");
        proxy.endInterception();
        awaitFirstRow("2");
    }

    /// Lets a gateway answer when the page asks for changes.
    private void failNextRefresh(PathProxy proxy) {
        installClockAndRequestCounter();
        proxy.intercept(502, "<!DOCTYPE html><title>Bad gateway</title>");
        requestsAfter(Duration.ofMinutes(1));
        browser.awaitText("Something else answered in place of the service");
    }

    @Test
    void saysThatListIsEmptyAgainAfterOutage() {
        PathProxy proxy = serveThroughProxy();
        signIn();
        failNextRefresh(proxy);
        proxy.endInterception();
        requestsAfter(Duration.ofMinutes(1));
        browser.awaitText("There are no animals yet. Add the first one below.");
        assertThat(service.metric("http_server_request_duration_seconds_count",
                "http_response_status_code=\"304\"")).isPositive();
    }

    /// Timers of browsers count at most 24.8 days.
    @Test
    void waitsAtMostAnHour() {
        PathProxy proxy = serveThroughProxy();
        browser.visit(page);
        browser.run("window.timerSpeed = 1");
        for (int status : List.of(429, 503)) {
            for (String wait : List.of("2592000=3600", "soon=1", "99999999999999999999999=3600",
                    "Sun, 06 Nov 1994 08:49:37 GMT=1", "120=120", "-5=1", "Fri, 31 Dec 9999 23:59:59 GMT=3600",
                    "0=1")) {
                String[] parts = wait.split("=", -1);
                int before = proxy.responses();
                proxy.intercept(status, error(status), "Retry-After", parts[0]);
                browser.run("location.hash = '#key=' + arguments[0]", KEY);
                browser.awaitText((status == 429 ? "Too many requests" : "The service is starting or busy")
                        + ". This page tries again in " + parts[1] + " s.");
                assertThat(proxy.responses() - before).as(wait).isBetween(1, 4);
            }
        }
    }

    /// The translator of the browser wraps each text in new elements.
    @Test
    void removesTranslatedMessagesAndKeepsNames() {
        addAnimals(1);
        PathProxy proxy = serveThroughProxy();
        signIn();
        failNextRefresh(proxy);
        browser.translate();
        browser.awaitText("SOMETHING ELSE");
        browser.run("""
                window.changes = 0;
                new MutationObserver(() => { window.changes++; })
                    .observe(document.getElementById('list-status'), { childList: true, subtree: true });""");
        int before = proxy.responses();
        browser.await("two more responses", () -> proxy.responses() > before + 1);
        assertThat(browser.rows()).containsExactly(List.of("1", "Animal 1", "7", "AVAILABLE"));
        assertThat(browser.text()).contains("ANIMALS ON THIS PAGE: 1, IDS 1 TO 1");
        assertThat(browser.run("return window.changes")).as("screen readers repeat it").isEqualTo(0L);
        proxy.endInterception();
        requestsAfter(Duration.ofMinutes(1));
        browser.await("no message", () -> !browser.text().contains("SOMETHING ELSE"));
    }

    @Test
    void followsLinkOnceAfterDoubleClick() {
        addAnimals(65);
        signIn();
        Object before = Objects.requireNonNull(browser.run("return history.length"));
        new Actions(browser.driver()).doubleClick(browser.find("link", "Next page")).perform();
        awaitFirstRow("21");
        // The second click of a slow double click.
        browser.run("document.getElementById('next').dispatchEvent(new MouseEvent('click',"
                + " { bubbles: true, cancelable: true, detail: 2 }))");
        assertThat(browser.run("return history.length - arguments[0]", before)).isEqualTo(1L);
        browser.run("const next = document.getElementById('next'); next.click(); next.click();");
        awaitFirstRow("41");
        assertThat(browser.run("return history.length - arguments[0]", before)).isEqualTo(2L);
        assertThat(browser.text()).doesNotContain("Loading");
        browser.run("const previous = document.getElementById('previous'); previous.click(); previous.click();");
        awaitFirstRow("21");
        browser.find("textbox", "Find by id").sendKeys("9");
        browser.run("const find = document.querySelector('#find-form button'); find.click(); find.click();");
        awaitFirstRow("9");
        browser.driver().navigate().back();
        awaitFirstRow("21");
    }

    @Test
    void doesNotPollInHiddenTab() {
        signIn();
        installClockAndRequestCounter();
        browser.run("Object.defineProperty(document, 'visibilityState', { get: () => window.visibility })");
        browser.run("window.visibility = 'hidden'");
        assertThat(requestsAfter(Duration.ofMinutes(1))).isZero();
        // In one script, because the page's timer would ask between two.
        assertThat(browser.run("""
                window.visibility = 'visible';
                document.dispatchEvent(new Event('visibilitychange'));
                return window.requests;""")).isEqualTo(1L);
        browser.run("""
                window.fetch = async () => {
                  window.requests++;
                  return new Response('{"status":503,"code":"x","message":"x"}', { status: 503 });
                };""");
        browser.await("a request", () -> requestsAfter(Duration.ofMinutes(1)) > 0);
        browser.awaitText("The service is starting or busy. This page tries again in 1 s.");
        browser.run("window.visibility = 'hidden'; window.requests = 0");
        awaitTimers(4);
        assertThat((Long) Objects.requireNonNull(browser.run("return window.requests"))).isLessThan(2);
    }

    @Test
    void tellsStatusesApartByTextColourAndSignAndPrintsOnlyHeadingAndTable() {
        for (String status : List.of("\"available\"", "\"pending\"", "\"sold\"")) {
            api().post("{\"name\":\"Rex\",\"categoryId\":7,\"status\":" + status + "}");
        }
        api().post("{\"name\":\"Rex\",\"categoryId\":7}");
        signIn();
        assertThat(browser.rows()).extracting(List::getLast).containsExactly("available", "pending", "sold",
                "not known");
        for (String scheme : List.of("light", "dark")) {
            browser.emulateColorScheme(scheme);
            assertThat(badges("color")).as(scheme).hasSize(4).doesNotHaveDuplicates();
        }
        assertThat(signsOfBadges()).hasSize(4).doesNotHaveDuplicates();
        assertAccessible();
        browser.emulateMedium("print");
        assertThat(badges("backgroundColor")).containsOnly("rgba(0, 0, 0, 0)");
        assertThat(signsOfBadges()).doesNotHaveDuplicates();
        assertThat(browser.find("heading", "All animals").isDisplayed()).isTrue();
        assertThat(browser.text()).contains("Rex").doesNotContain("Add", "Save", "Show", "Find", "Sign out",
                "API reference");
        browser.emulateMedium("screen");
    }

    /// Returns a property of the statuses on the screen.
    private List<String> badges(String property) {
        return browser.texts(
                """
                        return [...document.querySelectorAll('.badge')].map((badge) => getComputedStyle(badge)[arguments[0]]);""",
                property);
    }

    /// Returns the borders that draw the signs of the statuses. A browser prints borders.
    private List<String> signsOfBadges() {
        return browser.texts("""
                return [...document.querySelectorAll('.badge')].map((badge) => getComputedStyle(badge, '::before'))
                  .map((sign) => sign.content + sign.borderWidth);""");
    }

    @Test
    void alignsToolsAndNumbers() {
        addAnimals(1);
        signIn();
        List<WebElement> tools = List.of(browser.find("combobox", "Show"), browser.find("textbox", "Find by id"),
                browser.find("button", "Find"), browser.find("button", "Add an animal"));
        assertThat(tools).extracting(tool -> tool.getRect().y).as("tops").containsOnly(tools.getFirst().getRect().y);
        assertThat(tools).extracting(tool -> tool.getRect().height).as("heights").containsOnly(36);
        assertThat(browser
                .run("""
                        const baseline = (part) => {
                          const mark = document.createElement('img');
                          part.append(mark);
                          const { bottom } = mark.getBoundingClientRect();
                          mark.remove();
                          return bottom;
                        };
                        return new Set([...document.querySelectorAll('.tools :is(label, button)')].map(baseline).map(Math.round)).size;"""))
                .as("baselines of labels and buttons").isEqualTo(1L);
        assertThat(browser
                .run("""
                        return [...document.querySelectorAll('th, td')]
                          .map((cell) => getComputedStyle(cell)).map((cell) => cell.textAlign + ' ' + cell.fontVariantNumeric)"""))
                .isEqualTo(List.of("right tabular-nums", "left normal", "right tabular-nums", "left normal",
                        "right tabular-nums", "left normal", "right tabular-nums", "left normal"));
    }

    private @Nullable Object filledButtons() {
        return browser.run("""
                const accent = getComputedStyle(document.getElementById('add-link')).color;
                return [...document.querySelectorAll('main button')].filter((button) => button.checkVisibility())
                  .filter((button) => getComputedStyle(button).backgroundColor === accent)
                  .map((button) => button.textContent);""");
    }

    @Test
    void offersFirstStepInEmptyListAndHasOnePrimaryAction() {
        signIn();
        browser.find("combobox", "Show").sendKeys("sold");
        browser.awaitText("No animal has this status.");
        assertThat(browser.text()).doesNotContain("Save all pages");
        browser.find("link", "Show all animals").click();
        browser.awaitText("There are no animals yet. Add the first one below.");
        assertAccessible();
        assertThat(filledButtons()).isEqualTo(List.of("Add an animal"));
        browser.find("button", "Add an animal").click();
        browser.assertFocused(browser.find("textbox", "Name"));
        browser.type("Rex");
        browser.find("textbox", "Category").sendKeys("7", Keys.ENTER);
        awaitFirstRow("1");
        assertThat(browser.text()).doesNotContain("no animals yet");
        assertThat(filledButtons()).isEqualTo(List.of("Add an animal"));
    }

    @Test
    void offersNextTryAfterError() {
        addAnimals(1);
        signIn();
        browser.run("""
                const { fetch } = window;
                window.fetch = (target, options) => {
                  window.fetch = fetch;
                  return fetch(target.replace('limit=20', 'limit=0'), options);
                };""");
        browser.find("combobox", "Show").sendKeys("sold");
        browser.awaitText("The service says: limit must be an integer between 1 and 100");
        assertThat(browser.text()).doesNotContain("Save all pages");
        assertAccessible();
        browser.find("button", "Try again").click();
        browser.awaitText("No animal has this status.");
        assertThat(browser.has("button", "Try again")).isFalse();
    }

}
