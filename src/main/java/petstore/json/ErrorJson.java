package petstore.json;

/// Writes the body of every error. Source: SPEC `Error`.
public final class ErrorJson {

    private ErrorJson() {
    }

    /// Returns an error, e.g. `{"code":"not_found","message":"there is no animal with this id","status":404}`.
    public static byte[] write(String code, String message, int status) {
        return Json.bytes(json -> {
            json.writeStartObject();
            json.writeStringField("code", code);
            json.writeStringField("message", message);
            json.writeNumberField("status", status);
            json.writeEndObject();
        });
    }
}
