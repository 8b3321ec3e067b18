package petstore.json;

/// Writes the description of the service for programs.
public final class ServiceJson {

    private ServiceJson() {
    }

    /// Returns name, version and links, which are relative to the address of the description.
    public static byte[] write(String version) {
        return Json.bytes(json -> {
            json.writeStartObject();
            json.writeStringField("name", "Petstore Animals Service");
            json.writeStringField("version", version);
            json.writeStringField("api", "v1/pets");
            json.writeStringField("contract", "openapi.json");
            json.writeStringField("docs", "docs");
            json.writeEndObject();
        });
    }
}
