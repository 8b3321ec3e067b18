package petstore.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import petstore.testkit.ApiClient;
import petstore.testkit.Browser;
import petstore.testkit.PetstoreProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/// The page for people, in a real browser. It finds things by role and name, as a person does.
@Execution(ExecutionMode.SAME_THREAD)
class PageIT {

    private static final String KEY = "key-of-the-shop-0123456789";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String GREATEST = "9223372036854775807";
    private static final String ODD = "9007199254740993";
    private static final String MARKUP = "<img src=x onerror=alert(1)>&amp;\u202Erex\uD83D\uDC36";

    private static Browser browser;

    @TempDir
    private Path folder;
    private PetstoreProcess service;
    private String page;

    @BeforeAll
    static void openBrowser() {
        assumeThat(Browser.isInstalled()).as("chromium and chromium-driver are installed").isTrue();
        browser = Browser.open();
    }

    @AfterAll
    static void closeBrowser() {
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

    private PetstoreProcess serve(int port) {
        return PetstoreProcess.start(Map.of("PETSTORE_API_KEY", KEY, "PETSTORE_ACCESS_LOG", "false"), "serve", "--port",
                String.valueOf(port), "--admin-port", "0", "--data", folder.resolve("data").toString()).awaitReady();
    }

    @AfterEach
    void stopService() {
        browser.closeOtherTabs();
        browser.run("sessionStorage.clear()");
        assertThat(browser.console()).as("console")
                .allMatch(line -> line.contains("Failed to load resource") && !line.contains("/page/"));
        service.close();
    }

    private ApiClient api() {
        return service.client(KEY);
    }

    private void add(int count) {
        for (int i = 1; i <= count; i++) {
            assertThat(api().post("{\"name\":\"Animal " + i + "\",\"categoryId\":7,\"status\":\""
                    + (i % 2 == 0 ? "sold" : "available") + "\"}").statusCode()).isEqualTo(201);
        }
    }

    private void signIn() {
        browser.visit(page + "#key=" + KEY);
        await("the list").atMost(PATIENCE).until(() -> "false"
                .equals(browser.run("return document.getElementById('list').getAttribute('aria-busy')")));
    }

    private void assertAccessible() {
        for (String scheme : List.of("light", "dark")) {
            browser.scheme(scheme);
            for (int width : List.of(1280, 320)) {
                browser.width(width);
                assertThat(browser.axe()).as(scheme + " " + width + " px").isEmpty();
                assertThat(browser.run("return document.documentElement.scrollWidth <= window.innerWidth")).as("fits")
                        .isEqualTo(true);
            }
        }
        browser.width(1280);
    }

    @Test
    void aKeyIsTypedKeptOutOfTheAddressAndSharedWithNewTabs() {
        browser.visit(page);
        WebElement field = browser.find("textbox", "API key");
        browser.assertFocused(field);
        assertThat(field.getDomAttribute("type")).isEqualTo("password");
        assertAccessible();
        browser.type("a-key-that-is-wrong", Keys.ENTER);
        browser.awaitText("This API key is not accepted: it is wrong, revoked or expired.");
        assertAccessible();
        browser.type(Keys.chord(Keys.CONTROL, "a"), KEY, Keys.ENTER);
        browser.assertFocused(browser.find("heading", "All animals"));
        browser.awaitText("There are no animals yet. Add the first one below.");
        assertAccessible();
        assertThat(browser.address()).isEqualTo(page);
        assertThat(browser.run("return localStorage.length + document.cookie.length")).isEqualTo(0L);

        browser.visitInNewTab(page);
        browser.find("heading", "All animals");
        browser.find("button", "Sign out").click();
        browser.awaitText("You have signed out.");
        browser.firstTab();
        browser.find("heading", "Sign in");
        assertThat(browser.run("return sessionStorage.length")).isEqualTo(0L);
    }

    @Test
    void aLinkSignsInAndLosesItsKey() {
        browser.visit(page + "?status=sold#key=" + KEY.replace("-", "%2D"));
        browser.find("heading", "Sold animals");
        assertThat(browser.address()).isEqualTo(page + "?status=sold");
        assertThat(service.wholeErr()).noneMatch(line -> line.contains(KEY));
    }

    @Test
    void aKeyThatMayOnlyReadSeesNoFormAndOneThatMayOnlyWriteSeesItAlone() {
        String reads = newKey("pets:read");
        String writes = newKey("pets:write");
        browser.visit(page + "#key=" + reads);
        browser.awaitText("Your API key may only read, so you cannot add animals.");
        assertThat(browser.has("heading", "Add an animal")).isFalse();
        assertAccessible();
        browser.visit(page + "#key=" + writes);
        browser.awaitText("Your API key may only add animals, so the list is not shown.");
        assertThat(browser.has("heading", "All animals")).isFalse();
        browser.find("textbox", "Name").sendKeys("Rex");
        browser.find("textbox", "Category").sendKeys("7", Keys.ENTER);
        browser.awaitText("Added Rex as animal 1.");
        assertAccessible();
    }

    private String newKey(String... scopes) {
        List<String> command = new ArrayList<>(
                List.of("keys", "create", "--name", "test", "--data", folder.resolve("data").toString()));
        Stream.of(scopes).forEach(scope -> command.addAll(List.of("--scope", scope)));
        PetstoreProcess.Ending made = PetstoreProcess.run(command.toArray(String[]::new));
        return made.out().stream().filter(line -> line.contains("pets_"))
                .map(line -> line.substring(line.indexOf("pets_")).strip()).findFirst().orElseThrow();
    }

    @Test
    void thePagesOfTheListHaveAddresses() {
        add(45);
        signIn();
        assertAccessible();
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

    private static void awaitFirstRow(String id) {
        await("row " + id).atMost(PATIENCE)
                .until(() -> browser.rows(), rows -> !rows.isEmpty() && rows.getFirst().getFirst().equals(id));
    }

    @Test
    void newAnimalsAppearByThemselvesAndTheFocusStays() {
        add(1);
        signIn();
        WebElement name = browser.find("textbox", "Name");
        name.sendKeys("typing");
        add(1);
        await("the new row").atMost(PATIENCE).until(() -> browser.rows().size() == 2);
        browser.assertFocused(name);
        assertThat(name.getDomProperty("value")).isEqualTo("typing");
    }

    @Test
    void anAnimalIsFoundByItsIdWithoutTheDeprecatedOperation() {
        add(30);
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
    }

    @Test
    void numbersAreExactAndNamesAreText() {
        String name = MARKUP + "x".repeat(255 - MARKUP.codePointCount(0, MARKUP.length()));
        signIn();
        browser.insert(browser.find("textbox", "Name"), name);
        browser.find("textbox", "Category").sendKeys(ODD);
        browser.find("button", "Add animal").click();
        browser.awaitText("as animal 1.");
        assertThat(api().get("/v1/pets").body()).contains("\"categoryId\":" + ODD);
        browser.find("link", "Show it in the list").click();
        awaitFirstRow("1");
        assertThat(browser.rows()).containsExactly(List.of("1", name, ODD, "not known"));
        assertAccessible();
    }

    @Test
    void oneAnimalIsAddedHoweverOftenTheButtonIsPressed() {
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

    private void fillForm(String name, String category) {
        browser.find("textbox", "Name").sendKeys(name);
        browser.find("textbox", "Category").sendKeys(category);
    }

    @Test
    void refusalsStandAtTheirFieldsAndTheTextStays() {
        signIn();
        fillForm(" ", "seven");
        browser.find("button", "Add animal").click();
        browser.awaitText("categoryId must be");
        WebElement name = browser.find("textbox", "Name");
        WebElement category = browser.find("textbox", "Category");
        browser.assertFocused(name);
        assertThat(name.getDomAttribute("aria-invalid")).isEqualTo("true");
        assertThat(description(name)).startsWith("name must");
        assertThat(description(category)).contains("categoryId must");
        assertThat(category.getDomProperty("value")).isEqualTo("seven");
        assertAccessible();
    }

    private static String description(WebElement element) {
        return String.valueOf(browser.run("return arguments[0].getAttribute('aria-describedby').split(' ')"
                + ".map(id => document.getElementById(id).textContent).join(' ')", element)).strip();
    }

    @Test
    void aServiceThatIsKilledWhileAnAnimalIsAddedGetsItOnceAfterItsRestartAndAReload() {
        add(1);
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
    void typedTextSurvivesAReloadAndAKeyThatIsNoLongerAccepted() {
        String key = newKey();
        browser.visit(page + "#key=" + key);
        fillForm("Rex", "7");
        browser.driver().navigate().refresh();
        assertThat(browser.find("textbox", "Name").getDomProperty("value")).isEqualTo("Rex");
        PetstoreProcess.run("keys", "revoke", key.substring(5, 15), "--data", folder.resolve("data").toString());
        service.client(key).awaitRefusal(PATIENCE);
        browser.find("button", "Add animal").click();
        browser.awaitText("This API key is not accepted");
        browser.type(KEY, Keys.ENTER);
        assertThat(browser.find("textbox", "Name").getDomProperty("value")).isEqualTo("Rex");
        browser.find("button", "Add animal").click();
        browser.awaitText("Added Rex as animal 1.");
    }

    @Test
    void theListIsSavedAsCsvWithAllItsPages() throws IOException {
        add(130);
        api().post("{\"name\":\"=1+1, \\\"x\\\"\",\"categoryId\":" + ODD + ",\"status\":\"sold\"}");
        signIn();
        browser.downloadTo(folder);
        browser.find("combobox", "Show").sendKeys("sold");
        awaitFirstRow("2");
        browser.find("button", "Save this list as CSV").click();
        browser.awaitText("Saved 66 animals.");
        Path file = folder.resolve("animals-sold.csv");
        await("the file").atMost(PATIENCE).until(() -> Files.exists(file));
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(67).startsWith("id,name,categoryId,status", "2,Animal 2,7,sold");
        assertThat(lines.getLast()).isEqualTo("131,\"'=1+1, \"\"x\"\"\"," + ODD + ",sold");
    }

    @Test
    void aRateLimitIsWaitedFor() {
        service.close();
        service = PetstoreProcess.start(Map.of("PETSTORE_API_KEY", KEY), "serve", "--port", "0", "--admin-port", "0",
                "--rate-limit", "2/6s", "--data", folder.resolve("data").toString()).awaitReady();
        page = "http://127.0.0.1:" + service.port() + "/";
        signIn();
        browser.find("combobox", "Show").sendKeys("sold");
        browser.awaitText("Too many requests. This page tries again in");
        browser.awaitText("No animal has this status.");
    }

    @Test
    void everythingIsDoneWithTheKeyboardAlone() {
        browser.visit(page);
        browser.assertFocused(browser.find("textbox", "API key"));
        browser.type(KEY, Keys.ENTER);
        browser.assertFocused(browser.find("heading", "All animals"));
        tabTo(browser.find("textbox", "Name"));
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

    private static void tabTo(WebElement element) {
        for (int i = 0; i < 20 && !element.equals(browser.driver().switchTo().activeElement()); i++) {
            browser.type(Keys.TAB);
        }
        browser.assertFocused(element);
    }

    @Test
    void anOfflineServiceIsNamedAndTheListComesBack() {
        add(1);
        signIn();
        int port = service.port();
        service.kill();
        browser.awaitText("The service cannot be reached.");
        assertThat(browser.rows()).hasSize(1);
        assertAccessible();
        service = serve(port);
        add(1);
        await("the new row").atMost(PATIENCE).until(() -> browser.rows().size() == 2);
        assertThat(browser.text()).doesNotContain("cannot be reached");
    }

    @Test
    void aTerminalGetsALinkThatSignsIn() throws IOException {
        Process terminal = new ProcessBuilder("script", "-qec",
                "./petstore serve --port 0 --admin-port 0 --data " + folder.resolve("other"), "/dev/null")
                .redirectErrorStream(true).start();
        try (BufferedReader lines = terminal.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.lines().filter(each -> each.contains("#key=")).findFirst().orElseThrow();
            browser.visit(line.substring(line.indexOf("http")).strip());
            browser.awaitText("There are no animals yet.");
            assertThat(browser.address()).doesNotContain("#");
            browser.run("sessionStorage.clear()");
        } finally {
            terminal.descendants().forEach(ProcessHandle::destroy);
            terminal.destroy();
        }
    }
}
