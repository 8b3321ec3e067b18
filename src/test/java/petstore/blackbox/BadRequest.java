package petstore.blackbox;

import java.nio.charset.StandardCharsets;

import petstore.testkit.TestService;

/// A request that the service must refuse, and the expected error response.
///
/// @param name the name of the test case: the reason for the refusal
/// @param bytes the request; each character is one byte
/// @param status the expected status code
/// @param code the expected `code` in the Error body
public record BadRequest(String name, String bytes, int status, String code) {

    /// Header lines of a valid request.
    static final String HOST = "Host: petstore\r\n";
    static final String KEY = "Authorization: Bearer " + TestService.KEY + "\r\n";
    static final String JSON = "Content-Type: application/json\r\n";
    /// A valid body.
    static final String PET = "{\"name\":\"a\",\"categoryId\":1}";

    /// Returns a request that must be refused with 400.
    static BadRequest of(String name, String bytes) {
        return new BadRequest(name, bytes, 400, "invalid_request");
    }

    public static BadRequest get(String name, String target, int status, String code) {
        return new BadRequest(name, get(target), status, code);
    }

    /// Returns a createPet request with this body that must be refused.
    static BadRequest post(String name, String body, int status, String code) {
        return new BadRequest(name, post(body), status, code);
    }

    public static String get(String target) {
        return "GET " + target + " HTTP/1.1\r\n" + HOST + KEY + "\r\n";
    }

    /// Returns a createPet request.
    ///
    /// @param body each character is one byte
    static String post(String body) {
        return "POST /v1/pets HTTP/1.1\r\n" + HOST + KEY + JSON + "Content-Length: " + body.length() + "\r\n\r\n"
                + body;
    }

    /// Returns a createPet request with a chunked body, in chunks of at most `size` bytes.
    static String postChunked(String body, int size) {
        StringBuilder chunks = new StringBuilder();
        for (int from = 0; from < body.length(); from += size) {
            String chunk = body.substring(from, Math.min(body.length(), from + size));
            chunks.append(Integer.toHexString(chunk.length())).append("\r\n").append(chunk).append("\r\n");
        }
        return "POST /v1/pets HTTP/1.1\r\n" + HOST + KEY + JSON + "Transfer-Encoding: chunked\r\n\r\n" + chunks
                + "0\r\n\r\n";
    }

    /// Returns the UTF-8 encoding of a text, each byte as one character.
    static String utf8(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /// Returns the name of the test case, for test reports.
    @Override
    public String toString() {
        return name;
    }
}
