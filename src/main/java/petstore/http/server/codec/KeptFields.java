package petstore.http.server.codec;

import java.util.Iterator;
import java.util.Map;
import java.util.function.Predicate;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import petstore.http.message.HeaderFields;
import petstore.http.message.TrustedProxies;

/// The names of the header fields that the service reads. The others are dropped, so that a request that waits takes little memory.
public final class KeptFields {

    private final HttpHeaders names = new DefaultHttpHeaders();
    private final Predicate<String> isKept = names::contains;

    public KeptFields(TrustedProxies proxies) {
        HeaderFields.READ.forEach(name -> names.set(name, ""));
        names.set(proxies.field(), "");
    }

    /// Returns the fields of a request that are kept.
    HeaderFields of(Iterator<? extends Map.Entry<CharSequence, ? extends CharSequence>> all) {
        HeaderFields kept = new HeaderFields(isKept);
        while (all.hasNext()) {
            Map.Entry<CharSequence, ? extends CharSequence> field = all.next();
            if (names.contains(field.getKey())) {
                kept.add(field.getKey().toString(), field.getValue().toString());
            }
        }
        return kept;
    }
}
