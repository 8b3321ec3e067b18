package petstore.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

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

/// The reference page in a real browser.
@Tag("browser")
class DocsIT {

    private static final String KEY = "key-of-a-client-developer";
    private static final String ODD = "9007199254740993";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void isAccessibleShowsOperationsFirstAndIsExact() {
        assumeThat(Browser.isInstalled()).as("chromium and chromium-driver are installed").isTrue();
        try (PetstoreProcess service = PetstoreProcess.serve(Map.of("PETSTORE_API_KEY", KEY), folder).awaitReady();
                Browser browser = Browser.open()) {
            String docs = "http://127.0.0.1:" + service.port() + "/docs";
            browser.width(1280);
            browser.visit(docs);
            awaitOperations(browser);
            assertThat(browser.run("return [...document.querySelectorAll('.opblock')].map(each => each.id)"))
                    .isEqualTo(
                            List.of("operations-pets-listPets", "operations-pets-createPet", "operations-pets-getPet"));
            assertThat((Double) browser.run("return document.querySelector('.opblock').getBoundingClientRect().bottom"))
                    .isLessThan(800);
            assertNothingSerious(browser);

            browser.visit("about:blank");
            browser.visit(docs + "#/pets/getPet");
            awaitOperations(browser);
            await("the operation is shown").atMost(PATIENCE).until(() -> !browser.driver()
                    .findElements(By.cssSelector("#operations-pets-getPet tr[data-param-name=petId]")).isEmpty());
            assertNothingSerious(browser);

            tryOut(browser);
            assertThat(service.client(KEY).get("/v1/pets").body()).contains("\"categoryId\":" + ODD);
        }
    }

    private static void awaitOperations(Browser browser) {
        await("operations").atMost(PATIENCE).until(() -> Long.valueOf(3)
                .equals(browser.run("return document.querySelectorAll('.opblock').length")));
    }

    private static void assertNothingSerious(Browser browser) {
        for (String scheme : List.of("light", "dark")) {
            browser.scheme(scheme);
            for (int width : List.of(320, 1280)) {
                browser.width(width);
                assertThat(browser.axe()).as(scheme + " " + width + " px")
                        .noneMatch(finding -> finding.startsWith("serious") || finding.startsWith("critical"));
            }
        }
    }

    private static void tryOut(Browser browser) {
        browser.find("button", "Authorize").click();
        element(browser, ".auth-container input").sendKeys(KEY);
        element(browser, ".auth-btn-wrapper .authorize").click();
        element(browser, ".auth-btn-wrapper .btn-done").click();
        element(browser, "#operations-pets-createPet .opblock-summary-control").click();
        WebElement body = element(browser, "#operations-pets-createPet textarea");
        WebElement retryKey = element(browser, "#operations-pets-createPet [data-param-name=Idempotency-Key] input");
        assertThat(retryKey.getDomProperty("value")).as("an example that would be sent").isEmpty();
        body.sendKeys(Keys.chord(Keys.CONTROL, "a"));
        body.sendKeys("{\"name\":\"Rex\",\"categoryId\":" + ODD + "}");
        element(browser, "#operations-pets-createPet .execute").click();
        await("the response").atMost(PATIENCE)
                .until(() -> element(browser, "#operations-pets-createPet .live-responses-table").getText(),
                        shown -> shown.contains("\"categoryId\": " + ODD));
    }

    private static WebElement element(Browser browser, String selector) {
        return await(selector).atMost(PATIENCE)
                .until(() -> browser.driver().findElements(By.cssSelector(selector)), found -> !found.isEmpty())
                .getFirst();
    }
}
