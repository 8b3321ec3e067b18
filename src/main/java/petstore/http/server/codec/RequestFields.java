package petstore.http.server.codec;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import org.jspecify.annotations.Nullable;
import petstore.http.message.HeaderFields;
import petstore.http.message.TrustedProxies;

/// The header fields of a request that the service reads. The others are dropped, so that a request that waits takes little memory.
public final class RequestFields implements HeaderFields {

    /// The names of the fields that are kept.
    public static final class Names {

        private final HttpHeaders names = new DefaultHttpHeaders();

        public Names(TrustedProxies proxies) {
            READ.forEach(name -> names.set(name, ""));
            names.set(proxies.field(), "");
        }
    }

    private final Names names;
    /// Each name, followed by its value.
    private final List<String> pairs = new ArrayList<>(0);

    public RequestFields(Names names, Iterator<? extends Map.Entry<CharSequence, ? extends CharSequence>> all) {
        this.names = names;
        while (all.hasNext()) {
            Map.Entry<CharSequence, ? extends CharSequence> field = all.next();
            if (names.names.contains(field.getKey())) {
                pairs.add(field.getKey().toString());
                pairs.add(field.getValue().toString());
            }
        }
    }

    @Override
    public List<String> all(String name) {
        List<String> values = new ArrayList<>(1);
        for (int i = find(name, 0); i >= 0; i = find(name, i + 2)) {
            values.add(pairs.get(i + 1));
        }
        return values;
    }

    @Override
    public @Nullable String first(String name) {
        int index = find(name, 0);
        return index < 0 ? null : pairs.get(index + 1);
    }

    /// Drops the values, once no one reads them.
    public void drop() {
        pairs.clear();
    }

    /// Returns the index of a name; -1 for none.
    private int find(String name, int from) {
        assert names.names.contains(name) : name + " is dropped; add it to HeaderFields.READ";
        for (int i = from; i < pairs.size(); i += 2) {
            if (pairs.get(i).equalsIgnoreCase(name)) {
                return i;
            }
        }
        return -1;
    }
}
