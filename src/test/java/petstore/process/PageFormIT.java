package petstore.process;

import java.io.IOException;
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
import static org.awaitility.Awaitility.await;

/// The form of the page for people, which adds an animal.
class PageFormIT extends AbstractPageTest {

    /// 2^53 + 1, the smallest positive integer that a JavaScript number cannot represent.
    private static final String ABOVE_SAFE_INTEGER = "9007199254740993";
    private static final String HTML = "<!DOCTYPE html><title>Sign in</title>";
    private static final String MARKUP = "<img src=x onerror=alert(1)>&amp;\u202Erex\uD83D\uDC36";

    @Test
    void keepsNumbersExactAndShowsNamesAsText() {
        String name = MARKUP + "x".repeat(255 - MARKUP.codePointCount(0, MARKUP.length()));
        signIn();
        browser.insert(browser.find("textbox", "Name"), name);
        browser.find("textbox", "Category").sendKeys(ABOVE_SAFE_INTEGER);
        browser.find("button", "Add animal").click();
        browser.awaitText("as animal 1.");
        assertThat(isolatedNames(browser.driver().findElement(By.id("add-message")))).containsExactly(name, "1");
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
        for (String invalid : List.of("", "9".repeat(20), "9".repeat(1001))) {
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
            await("the response").atMost(PATIENCE).until(() -> "false".equals(
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
        browser.awaitText("adds it only once");
        assertThat(browser.find("textbox", "Name").getDomProperty("readOnly")).isEqualTo("true");
        assertAccessible();
        service = serve(port);
        browser.driver().navigate().refresh();
        browser.awaitText("Added Rex as animal 2.");
        assertThat(browser.find("textbox", "Name").getDomProperty("readOnly")).isEqualTo("false");
        assertThat(api().get("/v1/pets").body()).contains("Rex").doesNotContain("\"id\":3");
    }

    @Test
    void addsAnimalOnceIfResponseIsLost() throws IOException {
        try (PathProxy proxy = new PathProxy("/animals/", service.port())) {
            page = proxy.address();
            signIn();
            fillForm("Rex", "7");
            proxy.loseNextResponse();
            browser.find("button", "Add animal").click();
            browser.awaitText("The service did not answer, so the animal may have been added or not.");
            browser.awaitText("Added Rex as animal 1.");
            assertThat(api().get("/v1/pets").body()).doesNotContain("\"id\":2");
        }
    }

    /// The idempotency of an animal belongs to its API key.
    @Test
    void asksBeforeSendingUnknownAnimalWithOtherKey() throws IOException {
        String key = createKey();
        try (PathProxy proxy = new PathProxy("/animals/", service.port())) {
            page = proxy.address();
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
            browser.find("button", "Discard it").click();
            assertThat(browser.find("textbox", "Name").getDomProperty("value")).isEmpty();
            assertThat(names()).containsExactly("Rex\u202E");

            fillForm("Tom", "7");
            browser.run("sessionStorage.setItem('petstore.pending', arguments[0])",
                    """
                            {"values":{"name":"Tom","categoryId":"7","status":""},"body":"{\\"name\\":\\"Tom\\",\\"categoryId\\":7}","idempotencyKey":"k","keyId":"%s"}"""
                            .formatted(key.substring(5, 15)));
            browser.driver().navigate().refresh();
            browser.find("button", "Add it again").click();
            browser.awaitText("Added Tom as animal 2.");
        }
    }

    /// The service forgets an Idempotency-Key after a time, e.g. while a laptop sleeps.
    @Test
    void asksBeforeSendingAnimalAgainAfterAnHour() throws IOException {
        try (PathProxy proxy = new PathProxy("/animals/", service.port())) {
            page = proxy.address();
            signIn();
            fillForm("Rex", "7");
            proxy.intercept(503, "{\"status\":503,\"code\":\"x\",\"message\":\"x\"}", "Retry-After", "1");
            browser.find("button", "Add animal").click();
            browser.awaitText("adds the animal only once");
            browser.run("const { now } = Date; Date.now = () => now() + 3_590_000");
            int tries = proxy.responses();
            await("another try").atMost(PATIENCE).until(() -> proxy.responses() > tries + 1);
            browser.run("const { now } = Date; Date.now = () => now() + 20_000");
            browser.awaitText("Rex may have been added already");
            proxy.endInterception();
            assertAccessible();
            assertThat(browser.has("button", "Stop trying")).isFalse();
            browser.run("const pending = JSON.parse(sessionStorage.getItem('petstore.pending')); pending.since -= 4e6;"
                    + "sessionStorage.setItem('petstore.pending', JSON.stringify(pending))");
            browser.driver().navigate().refresh();
            browser.awaitText("Rex may have been added already");
            assertThat(names()).hasSize(1);
            browser.find("button", "Add it again").click();
            browser.awaitText("Added Rex as animal 1.");
        }
    }

    /// The service forgets the result of the first request before the page sends the second one.
    @Test
    void asksBeforeServiceForgetsIdempotencyKey() throws IOException {
        restartService("--idempotency-retention", "2s");
        try (PathProxy proxy = new PathProxy("/animals/", service.port())) {
            page = proxy.address();
            signIn();
            fillForm("Tom", "7");
            proxy.intercept(429, "{\"status\":429,\"code\":\"x\",\"message\":\"x\"}", "Retry-After", "2");
            browser.find("button", "Add animal").click();
            browser.awaitText("Too many requests");
            proxy.endInterception();
            browser.awaitText("Added Tom as animal");
            int before = names().size();
            fillForm("Rex", "7");
            proxy.intercept(503, "{\"status\":503,\"code\":\"x\",\"message\":\"x\"}", "Retry-After", "2");
            browser.find("button", "Add animal").click();
            browser.awaitText("adds the animal only once");
            proxy.endInterception();
            browser.awaitText("Rex may have been added already");
            assertThat(names()).hasSize(before + 1);
            browser.find("button", "Discard it").click();
        }
    }

    private void revoke(String key) {
        PetstoreProcess.run("keys", "revoke", key.substring(5, 15), "--data", folder.resolve("data").toString());
        service.client(key).awaitRefusal(PATIENCE);
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
            browser.run("sessionStorage.removeItem('petstore.key')");
            browser.driver().navigate().refresh();
            store.execute("ROLLBACK");
        }
        browser.find("textbox", "API key").sendKeys(KEY, Keys.ENTER);
        browser.awaitText("may have been added already");
    }

    @Test
    void keepsTryingUntilServiceAnswersOrPersonStops() throws IOException {
        try (PathProxy proxy = new PathProxy("/animals/", service.port())) {
            page = proxy.address();
            signIn();
            int id = 0;
            for (int status : List.of(200, 201, 302, 304, 401, 403, 413)) {
                fillForm("Rex", String.valueOf(status));
                proxy.intercept(status, status == 304 ? "" : HTML, "Location", page);
                browser.find("button", "Add animal").click();
                browser.awaitText("Something else answered in place of the service");
                proxy.endInterception();
                browser.awaitText("Added Rex as animal " + ++id + ".");
            }
            // The animal is added, but a gateway fails.
            for (int status : List.of(500, 502, 504, 599)) {
                fillForm("Rex", String.valueOf(status));
                proxy.intercept(status, "{\"status\":" + status + ",\"code\":\"x\",\"message\":\"x\"}");
                browser.find("button", "Add animal").click();
                browser.awaitText(status == 500
                        ? "The service had an internal error, so the animal may have been added"
                        : "The service is starting or busy. This page asks again in 1 s, and adds the animal only once.");
                proxy.endInterception();
                browser.awaitText("Added Rex as animal " + ++id + ".");
            }
            // An earlier try has added the animal, but the next one is forbidden.
            fillForm("Rex", "403");
            proxy.intercept(200, HTML);
            browser.find("button", "Add animal").click();
            browser.awaitText("Something else answered in place of the service");
            proxy.intercept(403, "{\"status\":403,\"code\":\"x\",\"message\":\"x\"}");
            browser.awaitText("Your API key may not add animals.");
            browser.awaitText("Rex may have been added or not.");
            assertAccessible();
            assertThat(browser.run("return sessionStorage.getItem('petstore.key')")).isEqualTo(KEY);
            proxy.endInterception();
            browser.find("button", "Add it again").click();
            browser.awaitText("Added Rex as animal " + ++id + ".");
            assertThat(browser.text()).doesNotContain("may not add");
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
                browser.run("sessionStorage.removeItem('petstore.draft')");
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
            browser.run("const { now } = Date; Date.now = () => now() + 4e6");
            browser.find("button", "Add it again").click();
            browser.awaitText("Tom may have been added already.");
            browser.find("button", "Add it again").click();
            browser.awaitText("Added Tom as animal " + ++id + ".");
            assertThat(names()).hasSize(id);
        }
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
    void retriesWhileServiceIsBusy() {
        signIn();
        fillForm("Rex", "7");
        try (StoreFile store = new StoreFile(folder.resolve("data"))) {
            store.execute("BEGIN IMMEDIATE");
            browser.find("button", "Add animal").click();
            browser.awaitText(
                    "The service is starting or busy. This page asks again in 1 s, and adds the animal only once.");
            assertAccessible();
            store.execute("ROLLBACK");
        }
        browser.awaitText("Added Rex as animal 1.");
        assertThat(api().get("/v1/pets").body()).doesNotContain("\"id\":2");
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
