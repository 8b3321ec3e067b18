package petstore.json;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

import com.fasterxml.jackson.core.JsonGenerator;
import petstore.ApiKey;
import petstore.RateLimit;
import petstore.Scope;

/// Writes API keys for programs, without secrets.
public final class KeyJson {

    private KeyJson() {
    }

    /// Returns an array with `id`, `name`, `scopes`, `created`, `expires`, `revoked`, `lastUsed` and `rateLimit` of each key.
    /// Times are as in RFC 3339, limits as `600/60s`, absent values `null`.
    public static String write(List<ApiKey> keys) {
        byte[] bytes = Json.bytes(json -> {
            json.writeStartArray();
            for (ApiKey key : keys) {
                write(json, key);
            }
            json.writeEndArray();
        });
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static void write(JsonGenerator json, ApiKey key) throws IOException {
        json.writeStartObject();
        json.writeStringField("id", key.id());
        json.writeStringField("name", key.name());
        String[] scopes = key.scopes().stream().sorted().map(Scope::text).toArray(String[]::new);
        json.writeFieldName("scopes");
        json.writeArray(scopes, 0, scopes.length);
        json.writeStringField("created", key.created().toString());
        json.writeStringField("expires", key.expires().map(Instant::toString).orElse(null));
        json.writeStringField("revoked", key.revoked().map(Instant::toString).orElse(null));
        json.writeStringField("lastUsed", key.lastUsed().map(Instant::toString).orElse(null));
        json.writeStringField("rateLimit", key.rateLimit().map(RateLimit::text).orElse(null));
        json.writeEndObject();
    }
}
