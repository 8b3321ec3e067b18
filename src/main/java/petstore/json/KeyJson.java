package petstore.json;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

import com.fasterxml.jackson.core.JsonGenerator;
import petstore.ApiKey;
import petstore.Scope;

/// Writes API keys for programs, never their secrets.
public final class KeyJson {

    private KeyJson() {
    }

    /// An array with `id`, `name`, `scopes`, `created`, `expires`, `revoked` and `lastUsed` of each key; moments as in RFC 3339,
    /// or `null`.
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
        json.writeArrayFieldStart("scopes");
        for (Scope scope : new TreeSet<>(key.scopes())) {
            json.writeString(scope.text());
        }
        json.writeEndArray();
        json.writeStringField("created", key.created().toString());
        write(json, "expires", key.expires());
        write(json, "revoked", key.revoked());
        write(json, "lastUsed", key.lastUsed());
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, String name, Optional<Instant> moment) throws IOException {
        if (moment.isPresent()) {
            json.writeStringField(name, moment.get().toString());
        } else {
            json.writeNullField(name);
        }
    }
}
