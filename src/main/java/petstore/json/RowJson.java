package petstore.json;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.jspecify.annotations.Nullable;

/// Writes the rows of a table for programs.
public final class RowJson {

    private RowJson() {
    }

    /// Returns an array with an object of texts and nulls for each row.
    ///
    /// @param names the names of the members, one for each column
    public static String write(List<String> names, List<? extends List<? extends @Nullable String>> rows) {
        byte[] bytes = Json.bytes(json -> {
            json.writeStartArray();
            for (List<? extends @Nullable String> row : rows) {
                json.writeStartObject();
                for (int column = 0; column < names.size(); column++) {
                    json.writeStringField(names.get(column), row.get(column));
                }
                json.writeEndObject();
            }
            json.writeEndArray();
        });
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
