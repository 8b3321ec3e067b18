package petstore.blackbox;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import petstore.testkit.ProbedService;
import petstore.testkit.RawClient;

import static org.assertj.core.api.Assertions.assertThat;

/// Requests with invalid or ambiguous framing, so that the end of the body is unknown (RFC 9112 sections 6 and 7).
class BadFramingTest {

    private static final String POST = "POST /v1/pets HTTP/1.1\r\n" + BadRequest.HOST + BadRequest.KEY
            + BadRequest.JSON;
    private static final String GET = "GET /v1/pets HTTP/1.1\r\n" + BadRequest.HOST + BadRequest.KEY;
    private static final String CHUNK = "1b\r\n" + BadRequest.PET + "\r\n";

    static final List<BadRequest> LENGTHS = List.of(
            BadRequest.of("Content-Length before Transfer-Encoding",
                    POST + "Content-Length: 27\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNK
                            + "0\r\n\r\n"),
            BadRequest.of("Transfer-Encoding before Content-Length",
                    POST + "Transfer-Encoding: chunked\r\nContent-Length: 27\r\n\r\n" + CHUNK
                            + "0\r\n\r\n"),
            BadRequest.of("two different values of Content-Length",
                    POST + "Content-Length: 27\r\nContent-Length: 5\r\n\r\n" + BadRequest.PET),
            BadRequest.of("the same Content-Length twice",
                    POST + "Content-Length: 27\r\nContent-Length: 27\r\n\r\n" + BadRequest.PET),
            length("27, 27"),
            length("27, 5"),
            length(""),
            length("+27"),
            length("-27"),
            length("-0"),
            length("2 7"),
            length("27;"),
            length("0x1b"),
            length("\u00B27"),
            length("\"27\""),
            length("9223372036854775808"),
            length("99999999999999999999"),
            BadRequest.of("a folded Content-Length", POST + "Content-Length: 2\r\n 7\r\n\r\n" + BadRequest.PET),
            BadRequest.of("a space after Content-Length", POST + "Content-Length : 27\r\n\r\n" + BadRequest.PET),
            BadRequest.of("NUL after Content-Length", POST + "Content-Length\0: 27\r\n\r\n" + BadRequest.PET),
            coding("gzip"),
            coding("identity"),
            coding("gzip, chunked"),
            coding("chunked, gzip"),
            coding("chunked, identity"),
            coding("chunked, chunked"),
            coding("chunked;q=1"),
            coding("\"chunked\""),
            coding("xchunked"),
            coding("chunked\u000B"),
            coding("chunked\0"),
            coding(""),
            BadRequest.of("chunked twice",
                    POST + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNK
                            + "0\r\n\r\n"),
            BadRequest.of("gzip and chunked in two fields",
                    POST + "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + CHUNK + "0\r\n\r\n"),
            BadRequest.of("a space after Transfer-Encoding",
                    POST + "Transfer-Encoding : chunked\r\n\r\n" + CHUNK + "0\r\n\r\n"),
            BadRequest.of("chunks in HTTP/1.0",
                    POST.replace("HTTP/1.1", "HTTP/1.0") + "Transfer-Encoding: chunked\r\n\r\n"
                            + CHUNK + "0\r\n\r\n"));

    static final List<BadRequest> CHUNKS = List.of(
            chunks("a size that is not a number", "zz\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("no size", "\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("a negative size", "-1b\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("a plus before the size", "+1b\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("0x before the size", "0x1b\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("a space before the size", " 1b\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("a space after the size", "1b \r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("a comma in the size", "1,b\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("NUL after the size", "1b\0\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("a size of 32 bits", "80000000\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("a size of 64 bits", "ffffffffffffffff\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("a size of more than 64 bits", "1000000000000001b\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("a size line of 5,000 characters", "0".repeat(5_000) + "1b\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("an extension of 5,000 characters",
                    "1b;" + "x".repeat(5_000) + "\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("an extension with unclosed quotes", "1b;a=\"b\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("a line feed in an extension", "1b;a\nb\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("a bare line feed after the size", "1b\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("a bare carriage return after the size", "1b\r" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("a bare line feed after the data", "1b\r\n" + BadRequest.PET + "\n0\r\n\r\n"),
            chunks("data longer than its size", "5\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("data shorter than its size", "1c\r\n" + BadRequest.PET + "\r\n0\r\n\r\n"),
            chunks("a last size that is not a number", CHUNK + "x\r\n\r\n"),
            chunks("bare line feeds at the end", CHUNK + "0\n\n"),
            chunks("a trailer without a colon", CHUNK + "0\r\nX\r\n\r\n"),
            chunks("a trailer with NUL", CHUNK + "0\r\nX: a\0b\r\n\r\n"),
            chunks("a trailer with a bare line feed", CHUNK + "0\r\nX: a\n\r\n"),
            chunks("a trailer of 10,000 characters", CHUNK + "0\r\nX: " + "a".repeat(10_000) + "\r\n\r\n"),
            BadRequest.of("an invalid chunk size in a GET", GET + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"));

    /// The same in HTTP/1.0, for which Netty has other rules.
    static final List<BadRequest> OLD_LENGTHS = LENGTHS.stream().map(request -> BadRequest
            .of(request.name() + " in HTTP/1.0", request.bytes().replaceFirst("HTTP/1.1", "HTTP/1.0"))).toList();

    @RegisterExtension
    private static final ProbedService service = new ProbedService();

    @ParameterizedTest
    @FieldSource({"LENGTHS", "OLD_LENGTHS", "CHUNKS"})
    void refusesRequestAndClosesConnection(BadRequest request) throws IOException {
        service.refusesAndCloses(request);
    }

    @Test
    void respondsToEarlierPipelinedRequest() throws IOException {
        try (RawClient client = service.connect()) {
            client.send(BadRequest.get("/v1/pets/1") + POST + "Transfer-Encoding: chunked\r\n\r\nzz\r\n");
            assertThat(client.response().orElseThrow().status()).isEqualTo(200);
            assertThat(client.response().orElseThrow().status()).isEqualTo(400);
            assertThat(client.response()).isEmpty();
        }
        service.assertUnchanged();
    }

    private static BadRequest length(String length) {
        return BadRequest.of("Content-Length: " + length,
                POST + "Content-Length: " + length + "\r\n\r\n" + BadRequest.PET);
    }

    private static BadRequest coding(String coding) {
        return BadRequest.of("Transfer-Encoding: " + coding, POST + "Transfer-Encoding: " + coding + "\r\n\r\n" + CHUNK
                + "0\r\n\r\n");
    }

    private static BadRequest chunks(String name, String body) {
        return BadRequest.of(name, POST + "Transfer-Encoding: chunked\r\n\r\n" + body);
    }
}
