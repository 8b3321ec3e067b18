package petstore.process;

import java.time.Duration;
import java.util.List;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The API reference page at `/docs`, in a real browser.
class DocsIT extends AbstractPageTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /// The Content-Security-Policy requires trusted types, and the console has its reports.
    @Test
    void isAccessibleShowsOperationsFirstAndKeepsIntegersExact() {
        String docs = page + "docs";
        browser.emulateWidth(1280);
        browser.visit(docs);
        awaitOperations();
        assertThat(browser.run("return [...document.querySelectorAll('.opblock')].map(each => each.id)"))
                .isEqualTo(
                        List.of("operations-pets-listPets", "operations-pets-createPet", "operations-pets-getPet"));
        assertThat(browser.run("return document.querySelector('.opblock').getBoundingClientRect().bottom < 800"))
                .isEqualTo(true);
        assertAccessibleAtEachWidth();

        browser.visit("about:blank");
        browser.visit(docs + "#/pets/getPet");
        awaitOperations();
        await("the operation is shown").atMost(PATIENCE).until(() -> !browser.driver()
                .findElements(By.cssSelector("#operations-pets-getPet tr[data-param-name=petId]")).isEmpty());
        assertAccessibleAtEachWidth();

        assertRendersMarkdown();
        browser.emulateWidth(1280);
        browser.emulateTouch(true);
        createPetOnPage();
        listPetsOnPage();
        assertThat(browser.run("return matchMedia('(pointer: coarse)').matches"
                + " && [...document.querySelectorAll('input, select, textarea')]"
                + ".every(field => parseFloat(getComputedStyle(field).fontSize) >= 16)"))
                .as("iOS zooms into a field with smaller text").isEqualTo(true);
        browser.emulateTouch(false);
        element(".curl-command .copy-to-clipboard button").click();
        browser.emulateColorScheme("light");
        assertThat(browser.console()).as("messages in the console").isEmpty();
        assertThat(api().get("/v1/pets").body()).contains("\"categoryId\":" + ABOVE_SAFE_INTEGER);
    }

    private void awaitOperations() {
        await("operations").atMost(PATIENCE).until(() -> Long.valueOf(3)
                .equals(browser.run("return document.querySelectorAll('.opblock').length")));
    }

    private void assertAccessibleAtEachWidth() {
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

    private void assertRendersMarkdown() {
        element(".about summary").click();
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

    private void listPetsOnPage() {
        element("#operations-pets-listPets .opblock-summary-control").click();
        element("#operations-pets-listPets .execute").click();
        await("the list").atMost(PATIENCE).until(
                () -> element("#operations-pets-listPets .live-responses-table").getText(),
                shown -> shown.contains("\"name\": \"Rex\""));
    }

    private void createPetOnPage() {
        browser.find("button", "Authorize").click();
        element(".auth-container input").sendKeys(KEY);
        element(".auth-btn-wrapper .authorize").click();
        element(".auth-btn-wrapper .btn-done").click();
        element("#operations-pets-createPet .opblock-summary-control").click();
        WebElement body = element("#operations-pets-createPet textarea");
        WebElement idempotencyKey = element(
                "#operations-pets-createPet [data-param-name=Idempotency-Key] input");
        assertThat(idempotencyKey.getDomProperty("value")).as("no example value, since it would be sent").isEmpty();
        body.sendKeys(Keys.chord(Keys.CONTROL, "a"));
        body.sendKeys("{\"name\":\"Rex\",\"categoryId\":" + ABOVE_SAFE_INTEGER + "}");
        element("#operations-pets-createPet .execute").click();
        await("the response").atMost(PATIENCE)
                .until(() -> element("#operations-pets-createPet .live-responses-table").getText(),
                        shown -> shown.contains("\"categoryId\": " + ABOVE_SAFE_INTEGER));
    }

    private WebElement element(String selector) {
        return await(selector).atMost(PATIENCE)
                .until(() -> browser.driver().findElements(By.cssSelector(selector)), found -> !found.isEmpty())
                .getFirst();
    }
}
