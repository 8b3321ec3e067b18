package petstore.json;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;

/// The parser and generator of JSON, and the body of every error.
public final class Json {

    static final int MAX_DEPTH = 32;
    static final int MAX_NUMBER_LENGTH = 32;
    static final int MAX_NAME_LENGTH = 256;

    static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(MAX_NUMBER_LENGTH).maxNameLength(MAX_NAME_LENGTH).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            // Bodies would share a table of the names, which clients choose.
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES).build();

    @FunctionalInterface
    interface Writer {
        void write(JsonGenerator json) throws IOException;
    }

    private Json() {
    }

    /// Returns an error, e.g. `{"code":"not_found","message":"there is no animal with this id","status":404}`. Source: SPEC `Error`.
    public static byte[] error(String code, String message, int status) {
        return bytes(json -> {
            json.writeStartObject();
            json.writeStringField("code", code);
            json.writeStringField("message", message);
            json.writeNumberField("status", status);
            json.writeEndObject();
        });
    }

    /// Returns the output of `writer`, in UTF-8 without white space.
    static byte[] bytes(Writer writer) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
            writer.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
