package petstore.http.message;

import io.netty.util.AsciiString;

/// One header field of an answer, in ASCII: text of another form is written to a connection byte by byte.
public record Header(AsciiString name, AsciiString value) {

    public static Header of(CharSequence name, String value) {
        return new Header(AsciiString.of(name), new AsciiString(value));
    }
}
