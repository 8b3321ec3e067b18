import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// The requests of the clients.
///
/// @param script the script of wrk that makes the requests
/// @param path the request target; random numbers replace ID and LIMIT in it
/// @param greatest the greatest random number
/// @param connections the number of clients
/// @param posts the share of requests that add an animal
/// @param key the API key of the clients
/// @param status the status of every correct response to a GET
record Load(String script, String path, long greatest, int connections, double posts, String key, int status) {

    static final String BODY = "{\"name\":\"Whiskers\",\"categoryId\":7,\"status\":\"available\"}";
    private static final String PETS = "/v1/pets";

    static Load get(String path, String key) {
        return new Load("get.lua", path, 1, 32, 0, key, 200);
    }

    static Load random(String path, long greatest, String key) {
        return new Load("random.lua", path, greatest, 32, 0, key, 200);
    }

    static Load create(String key) {
        return new Load("create.lua", PETS, 1, 64, 1, key, 201);
    }

    static Load mixed(String key) {
        return new Load("mixed.lua", PETS, 1, 64, 0.1, key, 200);
    }

    static Load refused() {
        return new Load("get.lua", PETS, 1, 32, 0, "not-a-key-of-this-service", 401);
    }

    /// Returns an example of the GET requests.
    byte[] exampleGet() {
        return request("GET", path.replace("ID", String.valueOf(greatest / 2)).replace("LIMIT", "20"), "");
    }

    byte[] examplePost() {
        return request("POST", PETS, BODY);
    }

    private String length(String body) {
        return body.isEmpty() ? "" : "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n";
    }

    private byte[] request(String method, String target, String body) {
        String text = method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + key + "\r\n"
                + length(body) + "\r\n" + body;
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /// Saves one response of each kind for the ceiling. Returns the mean size of a response in bytes.
    ///
    /// Errors: [IOException] if a response has another status than expected.
    double capture(int port, Path folder) throws IOException {
        Files.createDirectories(folder);
        double bytes = 0;
        if (posts < 1) {
            bytes += (1 - posts) * capture(port, exampleGet(), status, folder.resolve("GET"));
        }
        if (posts > 0) {
            bytes += posts * capture(port, examplePost(), 201, folder.resolve("POST"));
        }
        return bytes;
    }

    private static int capture(int port, byte[] request, int status, Path file) throws IOException {
        byte[] response = RawHttp.once(port, request);
        if (RawHttp.status(response) != status) {
            throw new IOException("expected a " + status + ", got: " + new String(response, StandardCharsets.UTF_8));
        }
        Files.write(file, response);
        return response.length;
    }
}
