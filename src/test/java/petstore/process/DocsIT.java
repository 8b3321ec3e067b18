package petstore.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import petstore.testkit.Browser;
import petstore.testkit.PetstoreProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/// The API reference page at `/docs`, in a real browser.
@Tag("browser")
class DocsIT {

    private static final String KEY = "key-of-a-client-developer";
    /// 2^53 + 1: JavaScript cannot represent this integer as a number.
    private static final String BEYOND_DOUBLE = "9007199254740993";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    /// The Content-Security-Policy requires trusted types, and the console has its reports.
    @Test
    void isAccessibleShowsOperationsFirstAndKeepsIntegersExact() {
        assumeThat(Browser.isInstalled()).as("chromium and chromium-driver are installed").isTrue();
        try (PetstoreProcess service = PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), folder).awaitReady();
                Browser browser = Browser.open()) {
            String docs = "http://127.0.0.1:" + service.port() + "/docs";
            browser.emulateWidth(1280);
            browser.visit(docs);
            awaitOperations(browser);
            assertThat(browser.run("return [...document.querySelectorAll('.opblock')].map(each => each.id)"))
                    .isEqualTo(
                            List.of("operations-pets-listPets", "operations-pets-createPet", "operations-pets-getPet"));
            assertThat(browser.run("return document.querySelector('.opblock').getBoundingClientRect().bottom < 800"))
                    .isEqualTo(true);
            assertAccessible(browser);

            browser.visit("about:blank");
            browser.visit(docs + "#/pets/getPet");
            awaitOperations(browser);
            await("the operation is shown").atMost(PATIENCE).until(() -> !browser.driver()
                    .findElements(By.cssSelector("#operations-pets-getPet tr[data-param-name=petId]")).isEmpty());
            assertAccessible(browser);

            assertRendersMarkdown(browser);
            browser.emulateWidth(1280);
            browser.emulateTouch(true);
            createPetOnPage(browser);
            listPetsOnPage(browser);
            assertThat(browser.run("return matchMedia('(pointer: coarse)').matches"
                    + " && [...document.querySelectorAll('input, select, textarea')]"
                    + ".every(field => parseFloat(getComputedStyle(field).fontSize) >= 16)"))
                    .as("iOS zooms into a field with smaller text").isEqualTo(true);
            browser.emulateTouch(false);
            element(browser, ".curl-command .copy-to-clipboard button").click();
            browser.emulateColorScheme("light");
            assertThat(browser.console()).as("messages in the console").isEmpty();
            assertThat(service.client(KEY).get("/v1/pets").body()).contains("\"categoryId\":" + BEYOND_DOUBLE);
        }
    }

    private static void awaitOperations(Browser browser) {
        await("operations").atMost(PATIENCE).until(() -> Long.valueOf(3)
                .equals(browser.run("return document.querySelectorAll('.opblock').length")));
    }

    private static void assertAccessible(Browser browser) {
        for (String scheme : List.of("light", "dark")) {
            browser.emulateColorScheme(scheme);
            for (int width : List.of(320, 1280)) {
                browser.emulateWidth(width);
                assertThat(browser.axe()).as(scheme + " " + width + " px").isEmpty();
                assertThat(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"))
                        .as("fits into " + width + " px").isEqualTo(true);
            }
        }
    }

    private static void assertRendersMarkdown(Browser browser) {
        element(browser, ".about summary").click();
        assertThat(browser
                .run("return [...document.querySelectorAll('.about li')].map(item => item.firstChild.outerHTML)"))
                .asInstanceOf(InstanceOfAssertFactories.LIST).contains("<strong>Paging</strong>");
        assertThat(browser.run("return document.querySelectorAll('.about .renderedMarkdown li code').length"))
                .isEqualTo(12L);
        assertThat(browser.run("""
                return [...document.querySelectorAll('.renderedMarkdown')]
                  .map(text => text.innerText).filter(text => /`|\\*\\*|^[-#|] |\\]\\(/m.test(text))"""))
                .as("Markdown that is not rendered").isEqualTo(List.of());
    }

    private static void listPetsOnPage(Browser browser) {
        element(browser, "#operations-pets-listPets .opblock-summary-control").click();
        element(browser, "#operations-pets-listPets .execute").click();
        await("the list").atMost(PATIENCE).until(
                () -> element(browser, "#operations-pets-listPets .live-responses-table").getText(),
                shown -> shown.contains("\"name\": \"Rex\""));
    }

    private static void createPetOnPage(Browser browser) {
        browser.find("button", "Authorize").click();
        element(browser, ".auth-container input").sendKeys(KEY);
        element(browser, ".auth-btn-wrapper .authorize").click();
        element(browser, ".auth-btn-wrapper .btn-done").click();
        element(browser, "#operations-pets-createPet .opblock-summary-control").click();
        WebElement body = element(browser, "#operations-pets-createPet textarea");
        WebElement idempotencyKey = element(browser,
                "#operations-pets-createPet [data-param-name=Idempotency-Key] input");
        assertThat(idempotencyKey.getDomProperty("value")).as("no example value, since it would be sent").isEmpty();
        body.sendKeys(Keys.chord(Keys.CONTROL, "a"));
        body.sendKeys("{\"name\":\"Rex\",\"categoryId\":" + BEYOND_DOUBLE + "}");
        element(browser, "#operations-pets-createPet .execute").click();
        await("the response").atMost(PATIENCE)
                .until(() -> element(browser, "#operations-pets-createPet .live-responses-table").getText(),
                        shown -> shown.contains("\"categoryId\": " + BEYOND_DOUBLE));
    }

    private static WebElement element(Browser browser, String selector) {
        return await(selector).atMost(PATIENCE)
                .until(() -> browser.driver().findElements(By.cssSelector(selector)), found -> !found.isEmpty())
                .getFirst();
    }
}
