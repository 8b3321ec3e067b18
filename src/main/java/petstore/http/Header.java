package petstore.http;

import io.vertx.core.http.HttpHeaders;

/// One header field of an answer. Name and value are encoded once when they are constants.
record Header(CharSequence name, CharSequence value) {

    static Header of(CharSequence name, String value) {
        return new Header(name, value);
    }

    /// A field that many answers share.
    static Header constant(String name, String value) {
        return new Header(HttpHeaders.createOptimized(name), HttpHeaders.createOptimized(value));
    }
}
