package petstore.json;

import java.nio.charset.StandardCharsets;
import java.util.List;

/// Writes the rows of a table for programs.
public final class RowJson {

    private RowJson() {
    }

    /// Returns an array with an object of texts for each row.
    ///
    /// @param names the names of the members, one for each column
    public static String write(List<String> names, List<List<String>> rows) {
        byte[] bytes = Json.bytes(json -> {
            json.writeStartArray();
            for (List<String> row : rows) {
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
