package petstore.http.server;

import java.util.List;

import io.vertx.core.MultiMap;
import org.jspecify.annotations.Nullable;
import petstore.http.message.HeaderFields;

/// The header fields of a request as Vert.x has them.
record VertxHeaders(MultiMap fields) implements HeaderFields {

    @Override
    public List<String> all(String name) {
        return fields.getAll(name);
    }

    @Override
    public @Nullable String first(String name) {
        return fields.get(name);
    }

    @Override
    public boolean contains(String name) {
        return fields.contains(name);
    }
}
