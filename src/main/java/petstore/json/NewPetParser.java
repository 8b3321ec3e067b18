package petstore.json;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import petstore.Failure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetStatus;

/// A strict parser of new animals in JSON. Unknown members are ignored, but must be valid JSON. Source: SPEC `NewPet`.
public final class NewPetParser {

    /// Zero with a point or an exponent.
    private static final Pattern ZERO = Pattern.compile("-?[0.]+([eE].*)?");

    private final JsonParser json;
    private final List<String> violations = new ArrayList<>();

    private boolean nameGiven;
    private boolean categoryGiven;
    private long id;
    private String name = "";
    private long categoryId;
    private Optional<PetStatus> status = Optional.empty();

    private NewPetParser(JsonParser json) {
        this.json = json;
    }

    /// An animal and its id, 0 for none.
    public record Parsed(long id, NewPet pet) {
    }

    /// Returns a new animal.
    ///
    /// @param body UTF-8 without a byte order mark, e.g. `{"name":"Whiskers","categoryId":7,"status":"available"}`
    /// @throws Failure of kind `INVALID_REQUEST` that names every violation, or the first place that is not JSON
    public static NewPet parse(byte[] body) {
        return parse(body, false).pet();
    }

    /// Returns an animal in the form that [PetJson] writes. Errors: as for [#parse(byte[])].
    ///
    /// @param needsId true if an id is required; else any member `id` is accepted
    public static Parsed parse(byte[] body, boolean needsId) {
        String text = StrictUtf8.decode(body).orElseThrow(() -> invalid("the body is not valid UTF-8"));
        if (text.isBlank()) {
            throw invalid("the body is empty: a JSON object is required");
        }
        if (text.charAt(0) == '\uFEFF') {
            throw invalid("the body starts with a byte order mark");
        }
        try (JsonParser json = Json.FACTORY.createParser(text)) {
            return new NewPetParser(json).parse(needsId);
        } catch (StreamConstraintsException e) {
            throw invalid("the body is nested deeper than " + Json.MAX_DEPTH + " levels, or has a number of over "
                    + Json.MAX_NUMBER_LENGTH + " characters or a member name of over " + Json.MAX_NAME_LENGTH);
        } catch (JacksonException e) {
            boolean duplicate = String.valueOf(e.getOriginalMessage()).startsWith("Duplicate");
            throw invalid("the body " + (duplicate ? "has a member twice" : "is not valid JSON") + " at character "
                    + (e.getLocation().getCharOffset() + 1));
        } catch (IOException e) {
            throw new IllegalStateException("a string cannot fail to be read", e);
        }
    }

    private Parsed parse(boolean needsId) throws IOException {
        if (nextToken() != JsonToken.START_OBJECT) {
            throw invalid("the body must be a JSON object");
        }
        while (nextToken() != JsonToken.END_OBJECT) {
            String member = json.currentName();
            JsonToken value = nextToken();
            switch (member) {
                case "id" -> id = int64(value).orElse(0);
                case "name" -> readName(value);
                case "categoryId" -> readCategoryId(value);
                case "status" -> readStatus(value);
                default -> {
                }
            }
            skip(value);
        }
        if (json.nextToken() != null) {
            throw invalid("the body must be one JSON object and nothing after it");
        }
        if (needsId && id < 1) {
            violations.addFirst(Pet.ID_VIOLATION);
        }
        if (!nameGiven) {
            violations.addFirst("name is required");
        }
        if (!categoryGiven) {
            violations.add("categoryId is required");
        }
        if (!violations.isEmpty()) {
            throw invalid(String.join("; ", violations));
        }
        return new Parsed(id, new NewPet(name, categoryId, status));
    }

    private void readName(JsonToken value) throws IOException {
        nameGiven = true;
        if (value == JsonToken.VALUE_STRING) {
            name = json.getText();
            violations.addAll(NewPet.nameViolations(name));
        } else {
            violations.add("name must be a string");
        }
    }

    private void readCategoryId(JsonToken value) throws IOException {
        categoryGiven = true;
        int64(value).ifPresentOrElse(number -> categoryId = number, () -> violations.add(NewPet.CATEGORY_VIOLATION));
    }

    private void readStatus(JsonToken value) throws IOException {
        status = value == JsonToken.VALUE_STRING ? PetStatus.find(json.getText()) : Optional.empty();
        if (status.isEmpty()) {
            violations.add(PetStatus.VIOLATION);
        }
    }

    /// Returns the integer of a number; `7`, `7.0` and `7e0` are the same in JSON. `BigDecimal` refuses exponents of more than 32
    /// bits, which only zero may have here.
    private OptionalLong int64(JsonToken value) throws IOException {
        try {
            String number = json.getText();
            return switch (value) {
                case VALUE_NUMBER_INT -> OptionalLong.of(Long.parseLong(number));
                case VALUE_NUMBER_FLOAT -> OptionalLong.of(
                        ZERO.matcher(number).matches() ? 0 : new BigDecimal(number).longValueExact());
                default -> OptionalLong.empty();
            };
        } catch (ArithmeticException | NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /// Skips the rest of a value. Checks each token, which `skipChildren` does not.
    private void skip(JsonToken value) throws IOException {
        if (value.isStructStart()) {
            for (JsonToken token = nextToken(); !token.isStructEnd(); token = nextToken()) {
                skip(token);
            }
        }
    }

    /// Returns the next token within the object. If the text ends there, Jackson throws an exception.
    private JsonToken nextToken() throws IOException {
        JsonToken token = json.nextToken();
        if (token.isNumeric() && json.getTextLength() > Json.MAX_NUMBER_LENGTH) {
            throw invalid("a number has more than " + Json.MAX_NUMBER_LENGTH + " characters");
        }
        return token;
    }

    private static Failure invalid(String message) {
        return new Failure(Failure.Kind.INVALID_REQUEST, message);
    }
}
