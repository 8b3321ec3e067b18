package petstore.process;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import petstore.testkit.PathProxy;
import petstore.testkit.PetstoreProcess;
import petstore.testkit.ServedContract;
import petstore.testkit.StoreFile;

import static org.assertj.core.api.Assertions.assertThat;

/// The form of the page for people, which adds an animal.
class PageFormIT extends AbstractPageTest {

    private static final String MARKUP = "<img src=x onerror=alert(1)>&amp;\u202Erex\uD83D\uDC36";

    @Test
    void keepsNumbersExactAndShowsNamesAsText() {
        String name = MARKUP + "x".repeat(255 - MARKUP.codePointCount(0, MARKUP.length()));
        signIn();
        browser.insert(browser.find("textbox", "Name"), name);
        browser.find("textbox", "Category").sendKeys(ABOVE_SAFE_INTEGER);
        browser.find("button", "Add animal").click();
        browser.awaitText("as animal 1.");
        assertThat(isolatedNames(browser.driver().findElement(By.id("add-result-text")))).containsExactly(name, "1");
        assertThat(api().get("/v1/pets").body()).contains("\"categoryId\":" + ABOVE_SAFE_INTEGER);
        browser.find("link", "Show it in the list").click();
        awaitFirstRow("1");
        assertThat(browser.rows()).containsExactly(List.of("1", name, ABOVE_SAFE_INTEGER, "not known"));
        assertAccessible();
    }

    @Test
    void addsOneAnimalIfButtonIsClickedRepeatedly() {
        signIn();
        fillForm("Rex", "7");
        browser.run("const b = [...document.querySelectorAll('button')].find(x => x.textContent === 'Add animal');"
                + " b.click(); b.click(); b.click();");
        browser.awaitText("Added Rex as animal 1.");
        browser.find("button", "Add another like it").click();
        browser.assertFocused(browser.find("textbox", "Name"));
        browser.find("button", "Add animal").click();
        browser.awaitText("Added Rex as animal 2.");
        assertThat(api().get("/v1/pets").body()).contains("\"id\":2").doesNotContain("\"id\":3");
    }

    @Test
    void showsViolationsAtFieldsAndKeepsInput() {
        signIn();
        fillForm(" ", "seven");
        browser.find("button", "Add animal").click();
        browser.awaitText("A category is a whole number of at most 18 digits.");
        WebElement name = browser.find("textbox", "Name");
        WebElement category = browser.find("textbox", "Category");
        browser.assertFocused(name);
        assertThat(name.getDomAttribute("aria-invalid")).isEqualTo("true");
        assertThat(description(name)).startsWith("name must");
        assertThat(description(category)).contains("A category is").doesNotContain("categoryId");
        assertThat(category.getDomProperty("value")).isEqualTo("seven");
        assertAccessible();
        for (String invalid : List.of("", "9".repeat(20), "9".repeat(33), "9".repeat(1001))) {
            category.clear();
            browser.insert(category, invalid);
            browser.find("button", "Add animal").click();
            browser.awaitText("A category is a whole number");
            assertThat(browser.text()).doesNotContain("categoryId", "a number");
        }
        category.clear();
        name.clear();
        browser.insert(name, "Rex");
        browser.insert(category, "\u0661\u0967\uFF17");
        browser.find("button", "Add animal").click();
        browser.awaitText("Added Rex as animal 1.");
        assertThat(api().get("/v1/pets").body()).contains("\"categoryId\":117");
    }

    @Test
    void leavesFocusToSomebodyWhoTypesWhenAnimalIsAdded() {
        signIn();
        recordAnnouncements();
        WebElement find = browser.find("textbox", "Find by id");
        for (String category : List.of("7", "seven")) {
            fillForm("Rex", category);
            holdResponses("POST");
            browser.find("button", "Add animal").click();
            find.sendKeys("1");
            releaseResponses();
            browser.await("the response", () -> "false".equals(
                    browser.find("textbox", "Name").getDomProperty("readOnly")));
            browser.type("2");
        }
        assertThat(find.getDomProperty("value")).isEqualTo("1212");
        assertThat(announcements()).contains("Added Rex as animal 1.", "The animal was not added. The form says why.");
    }

    private String description(WebElement element) {
        return String.valueOf(browser.run("return arguments[0].getAttribute('aria-describedby').split(' ')"
                + ".map(id => document.getElementById(id).textContent).join(' ')", element)).strip();
    }

    @Test
    void addsAnimalOnceAfterServiceIsKilledAndPageReloaded() {
        addAnimals(1);
        signIn();
        fillForm("Rex", "7");
        int port = service.port();
        service.kill();
        browser.find("button", "Add animal").click();
        browser.awaitText("The service cannot be reached. This page tries again by itself. "
                + "The animal may have been added or not. It is added only once.");
        assertThat(browser.find("textbox", "Name").getDomProperty("readOnly")).isEqualTo("true");
        assertAccessible();
        // The page may try again before it is reloaded, but does not learn the result.
        holdResponses("POST");
        service = serve(port);
        browser.driver().navigate().refresh();
        browser.awaitText("Added Rex as animal 2.");
        assertThat(browser.find("textbox", "Name").getDomProperty("readOnly")).isEqualTo("false");
        assertThat(api().get("/v1/pets").body()).contains("Rex").doesNotContain("\"id\":3");
    }

    /// The idempotency of an animal belongs to its API key.
    @Test
    void asksBeforeSendingUnknownAnimalWithOtherKey() {
        String key = createKey();
        PathProxy proxy = serveThroughProxy();
        browser.visit(page + "#key=" + key);
        fillForm("Rex\u202E", "7");
        proxy.intercept(200, HTML);
        browser.find("button", "Add animal").click();
        browser.awaitText("Something else answered in place of the service");
        revoke(key);
        proxy.endInterception();
        browser.awaitText("This API key is not accepted");
        browser.type(KEY, Keys.ENTER);
        browser.awaitText("may have been added already");
        WebElement question = browser.driver().findElement(By.id("add-question"));
        browser.assertFocused(question);
        assertThat(isolatedNames(question)).containsExactly("Rex\u202E");
        assertAccessible();
        browser.driver().navigate().refresh();
        browser.find("button", "Add it again").click();
        browser.awaitText("Added Rex\u202E as animal 2.");
    }

    /// The service forgets an Idempotency-Key after a time, e.g. while a laptop sleeps.
    @Test
    void asksBeforeSendingAnimalAgainAfterAnHour() {
        PathProxy proxy = serveThroughProxy();
        signIn();
        fillForm("Rex", "7");
        proxy.intercept(503, error(503));
        browser.find("button", "Add animal").click();
        browser.awaitText("It is added only once.");
        letClockPass(Duration.ofSeconds(3590));
        int tries = proxy.responses();
        browser.await("another try", () -> proxy.responses() > tries + 1);
        letClockPass(Duration.ofSeconds(20));
        browser.awaitText("Rex may have been added already");
        proxy.endInterception();
        assertAccessible();
        assertThat(browser.has("button", "Stop trying")).isFalse();
        browser.find("button", "Add it again").click();
        browser.awaitText("Added Rex as animal 1.");
    }

    /// The page relies on the service for half of the time that it keeps a result. After 429 it has no result to keep.
    @Test
    void asksBeforeServiceForgetsIdempotencyKey() {
        restartService("--idempotency-retention", "20m");
        PathProxy proxy = serveThroughProxy();
        signIn();
        fillForm("Tom", "7");
        proxy.intercept(429, error(429));
        browser.find("button", "Add animal").click();
        browser.awaitText("Too many requests. This page tries again in 1 s.");
        assertThat(browser.text()).doesNotContain("may have been added");
        letClockPass(Duration.ofMinutes(11));
        proxy.endInterception();
        browser.awaitText("Added Tom as animal");
        fillForm("Rex", "7");
        proxy.intercept(503, error(503));
        browser.find("button", "Add animal").click();
        browser.awaitText("It is added only once.");
        letClockPass(Duration.ofMinutes(11));
        browser.awaitText("Rex may have been added already");
        browser.find("button", "Discard it").click();
        assertThat(browser.find("textbox", "Name").getDomProperty("value")).isEmpty();
        assertThat(names()).containsExactly("Tom", "Rex");
    }

    private void letClockPass(Duration time) {
        browser.run("const { now } = Date; Date.now = () => now() + arguments[0]", time.toMillis());
    }

    private void revoke(String key) {
        PetstoreProcess.run("keys", "revoke", key.substring(5, 15), "--data", folder.resolve("data").toString());
        service.client(key).awaitRefusal(Duration.ofSeconds(60));
    }

    private List<String> names() {
        return ServedContract.json(api().get("/v1/pets").body()).findValuesAsText("name");
    }

    /// The page is reloaded during the first request, so it does not receive the response.
    @Test
    void asksAboutAnimalThatWasSentBeforeReload() {
        String key = createKey();
        browser.visit(page + "#key=" + key);
        fillForm("Rex", "7");
        try (StoreFile store = new StoreFile(folder.resolve("data"))) {
            store.execute("BEGIN IMMEDIATE");
            browser.find("button", "Add animal").click();
            browser.awaitText("Adding the animal");
            browser.run("sessionStorage.removeItem('petstore.key ' + location.pathname)");
            browser.driver().navigate().refresh();
            store.execute("ROLLBACK");
        }
        browser.find("textbox", "API key").sendKeys(KEY, Keys.ENTER);
        browser.awaitText("may have been added already");
    }

    @Test
    void triesOnUntilServiceAnswers() {
        PathProxy proxy = serveThroughProxy();
        signIn();
        fillForm("Rex", "7");
        proxy.intercept(200, HTML);
        browser.find("button", "Add animal").click();
        for (int status : List.of(200, 201, 302, 304, 401, 403, 413)) {
            assertTriesOn(proxy, status, status == 304 ? "" : HTML, "Something else answered in place of the service");
        }
        // The service has added the animal, but a gateway fails.
        for (int status : List.of(409, 500, 502, 504, 599)) {
            assertTriesOn(proxy, status, error(status), (status == 500
                    ? "The service had an internal error."
                    : "The service is starting or busy.")
                    + " This page tries again in 1 s. The animal may have been added or not. It is added only once.");
        }
        // An API key that may not add animals cannot say whether the animal was added.
        proxy.intercept(403, error(403));
        browser.awaitText("Your API key may not add animals.");
        browser.awaitText("Rex may have been added or not.");
        assertAccessible();
        assertThat(browser.run("return sessionStorage.getItem('petstore.key ' + location.pathname)")).isEqualTo(KEY);
        proxy.endInterception();
        browser.find("button", "Add it again").click();
        browser.awaitText("Added Rex as animal 1.");
        assertThat(browser.text()).doesNotContain("may not add");
        assertThat(names()).hasSize(1);
    }

    @Test
    void asksAboutAnimalAfterPersonStops() {
        PathProxy proxy = serveThroughProxy();
        signIn();
        fillForm("Tom", "7");
        proxy.intercept(413, "{\"status\":200,\"code\":\"x\",\"message\":\"x\"}");
        browser.find("button", "Add animal").click();
        browser.find("button", "Stop trying").click();
        browser.awaitText("Tom may have been added or not. If you add it again now, it is added only once.");
        browser.assertFocused(browser.driver().findElement(By.id("add-question")));
        assertThat(proxy.endInterception()).isPositive();
        assertAccessible();
        for (int round = 0; round < 2; round++) {
            browser.find("textbox", "Name").sendKeys("Max");
            browser.run("sessionStorage.removeItem('petstore.draft ' + location.pathname)");
            browser.driver().navigate().refresh();
            browser.awaitText("Tom may have been added or not.");
            assertThat(browser.find("textbox", "Name").getDomProperty("value")).isEqualTo("Tom");
            assertThat(browser.text()).doesNotContain("Something else");
            if (round == 0) {
                proxy.intercept(413, HTML);
                browser.find("button", "Add it again").click();
                browser.find("button", "Stop trying").click();
                proxy.endInterception();
            }
        }
        letClockPass(Duration.ofHours(2));
        browser.find("button", "Add it again").click();
        browser.awaitText("Tom may have been added already.");
        browser.find("button", "Add it again").click();
        browser.awaitText("Added Tom as animal 1.");
        assertThat(names()).hasSize(1);
    }

    /// Returns the names in a sentence that have their own direction of text and are not translated.
    private List<String> isolatedNames(WebElement sentence) {
        return sentence.findElements(By.cssSelector("bdi[translate=no]")).stream()
                .map(name -> String.valueOf(name.getDomProperty("textContent"))).toList();
    }

    @Test
    void keepsInputAfterReloadAndRevokedKey() {
        String key = createKey();
        browser.visit(page + "#key=" + key);
        fillForm("Rex", "7");
        browser.driver().navigate().refresh();
        assertThat(browser.find("textbox", "Name").getDomProperty("value")).isEqualTo("Rex");
        revoke(key);
        browser.find("button", "Add animal").click();
        browser.awaitText("This API key is not accepted");
        browser.type(KEY, Keys.ENTER);
        assertThat(browser.find("textbox", "Name").getDomProperty("value")).isEqualTo("Rex");
        browser.find("button", "Add animal").click();
        browser.awaitText("Added Rex as animal 1.");
    }

    @Test
    void worksWithKeyboardOnly() {
        browser.visit(page);
        browser.assertFocused(browser.find("textbox", "API key"));
        browser.type(KEY, Keys.ENTER);
        browser.assertFocused(browser.find("heading", "All animals"));
        tabTo(browser.find("button", "Add an animal"));
        browser.type(Keys.ENTER);
        browser.assertFocused(browser.find("textbox", "Name"));
        browser.type("Rex");
        tabTo(browser.find("textbox", "Category"));
        browser.type("7");
        tabTo(browser.find("combobox", "Status"));
        browser.type("a");
        tabTo(browser.find("button", "Add animal"));
        browser.type(Keys.ENTER);
        browser.awaitText("Added Rex as animal 1.");
        tabTo(browser.find("link", "Show it in the list"));
        browser.type(Keys.ENTER);
        awaitFirstRow("1");
        assertThat(browser.rows()).containsExactly(List.of("1", "Rex", "7", "available"));
    }

    private void tabTo(WebElement element) {
        for (int i = 0; i < 20 && !element.equals(browser.driver().switchTo().activeElement()); i++) {
            browser.type(Keys.TAB);
        }
        browser.assertFocused(element);
    }
}
