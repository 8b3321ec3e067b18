package petstore.log;

import java.util.Arrays;
import java.util.Map;

import petstore.json.Json;

/// Events of the log as JSON.
public final class LogJson {

    private LogJson() {
    }

    /// One object with these members, in their order, and the end of the line. Numbers stay numbers, the rest is text.
    public static byte[] line(Map<String, Object> members) {
        byte[] object = Json.bytes(json -> {
            json.writeStartObject();
            for (Map.Entry<String, Object> member : members.entrySet()) {
                if (member.getValue() instanceof Number number) {
                    json.writeNumberField(member.getKey(), number.longValue());
                } else {
                    json.writeStringField(member.getKey(), String.valueOf(member.getValue()));
                }
            }
            json.writeEndObject();
        });
        byte[] line = Arrays.copyOf(object, object.length + 1);
        line[object.length] = '\n';
        return line;
    }
}
