package petstore.json;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

import com.fasterxml.jackson.core.JsonGenerator;
import org.jspecify.annotations.Nullable;
import petstore.ApiKey;
import petstore.RateLimit;
import petstore.Scope;

/// Writes lists for programs: an array with an object for each item.
public final class ListJson {

    private ListJson() {
    }

    /// Returns `id`, `name`, `scopes`, `created`, `expires`, `revoked`, `lastUsed` and `rateLimit` of each key, not its secret.
    /// Times are as in RFC 3339, limits as `600/60s`, absent values `null`.
    public static String keys(List<ApiKey> keys) {
        return array(keys, key -> json -> write(json, key));
    }

    private static void write(JsonGenerator json, ApiKey key) throws IOException {
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
    }

    /// Returns the texts and nulls of each row.
    ///
    /// @param names the names of the members, one for each column
    public static String rows(List<String> names, List<? extends List<? extends @Nullable String>> rows) {
        return array(rows, row -> json -> {
            for (int column = 0; column < names.size(); column++) {
                json.writeStringField(names.get(column), row.get(column));
            }
        });
    }

    private static <T> String array(List<T> items, Function<T, Json.Writer> members) {
        byte[] bytes = Json.bytes(json -> {
            json.writeStartArray();
            for (T item : items) {
                json.writeStartObject();
                members.apply(item).write(json);
                json.writeEndObject();
            }
            json.writeEndArray();
        });
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
