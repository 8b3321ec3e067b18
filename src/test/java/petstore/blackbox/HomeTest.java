package petstore.blackbox;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petstore.testkit.ServedContract;
import petstore.testkit.TestService;

import static org.assertj.core.api.Assertions.assertThat;

/// The resource `/`: an HTML page for people, a JSON description for programs.
class HomeTest {

    private static final String HTML = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    private static final int MAX_BYTES = 60_000;
    private static final Pattern REFERENCE = Pattern
            .compile("(?:href|src)=\"((?:page|docs)/[^\"#]+)[\"#]|from '\\./([^']+)'");

    @TempDir
    private Path folder;

    private static HttpResponse<byte[]> get(TestService service, String path, String... headers) throws IOException {
        HttpRequest.Builder request = HttpRequest
                .newBuilder(URI.create("http://127.0.0.1:" + service.port() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request.build(), BodyHandlers.ofByteArray());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static String text(HttpResponse<byte[]> response) throws IOException {
        byte[] body = response.body();
        if (response.headers().firstValue("Content-Encoding").isPresent()) {
            try (InputStream plain = new GZIPInputStream(new ByteArrayInputStream(body))) {
                body = plain.readAllBytes();
            }
        }
        return new String(body, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {"-|false", "*/*|false", "application/json|false",
            "text/*|false", "text/html;q=0|false", "text/html; q=0.000, */*|false", "text/htmlx|false",
            "text/html|true", "TEXT/HTML;level=1|true", "application/json, text/html;q=0.1|true"})
    void returnsPageOnlyIfAcceptNamesHtml(String accept, boolean expectsHtml) throws IOException {
        try (TestService service = TestService.start(folder)) {
            HttpResponse<byte[]> home = accept == null ? get(service, "/") : get(service, "/", "Accept", accept);
            assertThat(home.statusCode()).isEqualTo(200);
            assertThat(home.headers().firstValue("Vary").orElseThrow().split(", ")).contains("Accept");
            assertThat(home.headers().firstValue("Content-Type"))
                    .contains(expectsHtml ? "text/html; charset=utf-8" : "application/json");
        }
    }

    @Test
    void linksToContractDocsAndApi() throws IOException {
        try (TestService service = TestService.start(folder)) {
            JsonNode description = ServedContract.json(text(get(service, "/")));
            assertThat(description.get("name").asText()).isEqualTo("Petstore Animals Service");
            assertThat(description.properties()).as("the version is for operators").hasSize(4);
            for (String link : List.of("contract", "docs", "api")) {
                int status = get(service, "/" + description.get(link).asText()).statusCode();
                assertThat(status).as(link).isEqualTo(link.equals("api") ? 401 : 200);
            }
        }
    }

    @Test
    void servesSmallCompressedFilesWithETags() throws IOException {
        try (TestService service = TestService.start(folder)) {
            int bytes = 0;
            List<String> paths = pageFiles(service);
            assertThat(paths).hasSizeGreaterThan(11);
            for (String path : paths) {
                HttpResponse<byte[]> file = get(service, path, "Accept", HTML, "Accept-Encoding", "br, gzip");
                assertThat(file.headers().firstValue("Content-Encoding")).as(path).contains("gzip");
                assertThat(file.headers().firstValue("Vary").orElseThrow().split(", ")).contains("Accept-Encoding");
                assertThat(file.headers().firstValue("Cache-Control").orElseThrow()).contains("no-cache");
                assertThat(file.headers().firstValue("Referrer-Policy")).contains("no-referrer");
                String tag = file.headers().firstValue("ETag").orElseThrow();
                assertThat(get(service, path, "Accept", HTML, "Accept-Encoding", "gzip", "If-None-Match", tag)
                        .statusCode()).isEqualTo(304);
                HttpResponse<byte[]> plain = get(service, path, "Accept", HTML, "Accept-Encoding", "gzip;q=0");
                bytes += plain.body().length;
                assertThat(plain.headers().firstValue("Content-Encoding")).isEmpty();
                assertThat(plain.headers().firstValue("ETag").orElseThrow()).isNotEqualTo(tag);
                assertThat(text(plain)).isEqualTo(text(file));
            }
            assertThat(bytes).isLessThan(MAX_BYTES);
        }
    }

    @Test
    void servesPageWithoutInlineOrExternalContent() throws IOException {
        try (TestService service = TestService.start(folder)) {
            HttpResponse<byte[]> page = get(service, "/", "Accept", HTML);
            assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .startsWith("default-src 'none'; ").contains("frame-ancestors 'none'", "require-trusted-types-for")
                    .doesNotContain("unsafe").doesNotContain("*").doesNotContain("data:");
            assertThat(text(page))
                    .doesNotContainPattern("(?i)<script(?![^>]*src=)|<style|\\son\\w+=|\\sstyle=|javascript:")
                    .doesNotContainPattern("(?:src|href)=\"(?:/|https?:)");
        }
    }

    /// Returns the paths of the page and of each file that it loads.
    private static List<String> pageFiles(TestService service) throws IOException {
        List<String> paths = new ArrayList<>(List.of("/"));
        for (int i = 0; i < paths.size(); i++) {
            REFERENCE.matcher(text(get(service, paths.get(i), "Accept", HTML))).results()
                    .map(file -> file.group(1) == null ? "/page/" + file.group(2) : "/" + file.group(1))
                    .filter(path -> !paths.contains(path)).forEach(paths::add);
        }
        return paths;
    }

    @Test
    void returnsDescriptionIfPageIsDisabled() throws IOException {
        try (TestService service = TestService.start(folder, Clock.systemUTC(),
                settings -> settings.withoutPage())) {
            HttpResponse<byte[]> home = get(service, "/", "Accept", HTML);
            assertThat(home.headers().firstValue("Content-Type")).contains("application/json");
            assertThat(get(service, "/page/main.js").statusCode()).isEqualTo(404);
            String docs = text(get(service, "/docs"));
            assertThat(docs).contains("href=\"docs\"").doesNotContainPattern("href=\"(?:\\.?/?|page[^\"]*)\"");
            List<String> files = REFERENCE.matcher(docs).results().map(file -> file.group(1)).toList();
            assertThat(files).contains("docs/style.css", "docs/icon.svg").allSatisfy(
                    file -> assertThat(get(service, "/" + file).statusCode()).as(file).isEqualTo(200));
        }
    }
}
