package petstore.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import petstore.http.message.HeaderFields;

/// Header fields for requests that are made without a server.
public final class TestHeaders implements HeaderFields {

    private final List<Map.Entry<String, String>> fields = new ArrayList<>();

    /// Adds a field after the others. Returns this object.
    public TestHeaders add(String name, String value) {
        fields.add(Map.entry(name, value));
        return this;
    }

    @Override
    public List<String> all(String name) {
        return fields.stream().filter(field -> field.getKey().equalsIgnoreCase(name)).map(Map.Entry::getValue)
                .toList();
    }

    @Override
    public @Nullable String first(String name) {
        List<String> all = all(name);
        return all.isEmpty() ? null : all.getFirst();
    }
}
