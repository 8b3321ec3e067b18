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
import org.jspecify.annotations.Nullable;
import petstore.Failure;
import petstore.NewPet;
import petstore.Pet;
import petstore.PetStatus;

/// Reads a new animal from one JSON object, strictly. Source: SPEC `NewPet`.
///
/// Unknown members are passed over, but must be JSON too. A parser is used once.
public final class NewPetParser {

    /// Zero as JSON may write it with a point or an exponent.
    private static final Pattern ZERO = Pattern.compile("-?[0.]+([eE].*)?");

    private final JsonParser json;
    private final boolean needsId;
    private final List<String> violations = new ArrayList<>();

    private long id;
    private boolean nameGiven;
    private boolean categoryGiven;
    private Optional<String> name = Optional.empty();
    /// The number of violations before those of the name.
    private int violationsBeforeName;
    private long categoryId;
    private Optional<PetStatus> status = Optional.empty();

    private NewPetParser(JsonParser json, boolean needsId) {
        this.json = json;
        this.needsId = needsId;
    }

    /// An animal and the id that it brings, 0 if none is read.
    public record Parsed(long id, NewPet pet) {
    }

    /// Reads a new animal.
    ///
    /// @param body UTF-8 without a byte order mark, e.g. `{"name":"Whiskers","categoryId":7,"status":"available"}`
    /// @throws Failure of kind `INVALID_REQUEST`, whose message names every violation, or the first place that is not JSON
    public static NewPet parse(byte[] body) {
        return parse(body, false).pet();
    }

    /// Reads an animal, as [PetJson] writes it. Errors: as for [#parse(byte[])].
    ///
    /// @param needsId whether an id is required; if not, a member `id` is ignored
    public static Parsed parse(byte[] body, boolean needsId) {
        String text = StrictUtf8.decode(body).orElseThrow(() -> invalid("the body is not valid UTF-8"));
        if (text.isBlank()) {
            throw invalid("the body is empty: a JSON object is required");
        }
        if (text.charAt(0) == '\uFEFF') {
            throw invalid("the body starts with a byte order mark");
        }
        try (JsonParser json = Json.FACTORY.createParser(text)) {
            return new NewPetParser(json, needsId).parse();
        } catch (StreamConstraintsException e) {
            throw invalid("the body is nested deeper than " + Json.MAX_DEPTH + " levels, or has a number of over "
                    + Json.MAX_NUMBER_LENGTH + " characters or a member name of over " + Json.MAX_NAME_LENGTH);
        } catch (JacksonException e) {
            boolean duplicate = String.valueOf(e.getOriginalMessage()).startsWith("Duplicate");
            throw invalid("the body " + (duplicate ? "has a member twice" : "is not valid JSON") + ", at character "
                    + e.getLocation().getCharOffset());
        } catch (IOException e) {
            throw new IllegalStateException("a string cannot fail to be read", e);
        }
    }

    private Parsed parse() throws IOException {
        if (nextToken() != JsonToken.START_OBJECT) {
            throw invalid("the body must be a JSON object");
        }
        while (nextToken() != JsonToken.END_OBJECT) {
            String member = json.currentName();
            JsonToken value = nextToken();
            switch (member) {
                case "id" -> readId(value);
                case "name" -> readName(value);
                case "categoryId" -> readCategoryId(value);
                case "status" -> readStatus(value);
                case null, default -> skip(value);
            }
        }
        if (nextToken() != null) {
            throw invalid("the body must be one JSON object and nothing after it");
        }
        Optional<NewPet> pet = newPet();
        if (needsId && id < 1) {
            violations.addFirst(Pet.ID_VIOLATION);
        }
        if (!nameGiven) {
            violations.addFirst("name is required");
        }
        if (!categoryGiven) {
            violations.add("categoryId is required");
        }
        if (pet.isEmpty() || !violations.isEmpty()) {
            throw invalid(String.join("; ", violations));
        }
        return new Parsed(id, pet.get());
    }

    /// Returns the animal; absent if its name is invalid or not a string.
    private Optional<NewPet> newPet() {
        try {
            return name.map(text -> new NewPet(text, categoryId, status));
        } catch (Failure e) {
            violations.add(violationsBeforeName, e.getMessage());
            return Optional.empty();
        }
    }

    private void readId(JsonToken value) throws IOException {
        id = (needsId ? int64(value) : OptionalLong.empty()).orElse(0);
        skip(value);
    }

    private void readName(JsonToken value) throws IOException {
        nameGiven = true;
        if (value == JsonToken.VALUE_STRING) {
            name = Optional.of(json.getText());
            violationsBeforeName = violations.size();
        } else {
            violations.add("name must be a string");
            skip(value);
        }
    }

    private void readCategoryId(JsonToken value) throws IOException {
        categoryGiven = true;
        int64(value).ifPresentOrElse(number -> categoryId = number, () -> violations.add(NewPet.CATEGORY_VIOLATION));
        skip(value);
    }

    /// `7`, `7.0` and `7e0` are the same integer in JSON. A number such as `1e1000000000` is short to read, but must not be
    /// written out.
    private OptionalLong int64(JsonToken value) throws IOException {
        try {
            return switch (value) {
                case VALUE_NUMBER_INT -> OptionalLong.of(Long.parseLong(json.getText()));
                case VALUE_NUMBER_FLOAT -> OptionalLong.of(int64(json.getText()));
                default -> OptionalLong.empty();
            };
        } catch (ArithmeticException | NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /// `BigDecimal` refuses exponents of more than 32 bits, with which zero alone is an integer of 64 bits.
    private static long int64(String number) {
        return ZERO.matcher(number).matches() ? 0 : new BigDecimal(number).longValueExact();
    }

    private void readStatus(JsonToken value) throws IOException {
        if (value == JsonToken.VALUE_STRING) {
            status = PetStatus.find(json.getText());
        }
        if (status.isEmpty()) {
            violations.add(PetStatus.VIOLATION);
        }
        skip(value);
    }

    /// Passes over a value, with every token of it checked as [#nextToken] does.
    private void skip(JsonToken value) throws IOException {
        int depth = value.isStructStart() ? 1 : 0;
        while (depth > 0) {
            JsonToken token = nextToken();
            if (token == null) {
                return;
            }
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        }
    }

    private @Nullable JsonToken nextToken() throws IOException {
        JsonToken token = json.nextToken();
        if (token != null && token.isNumeric() && json.getTextLength() > Json.MAX_NUMBER_LENGTH) {
            throw invalid("a number has more than " + Json.MAX_NUMBER_LENGTH + " characters");
        }
        return token;
    }

    private static Failure invalid(String message) {
        return new Failure(Failure.Kind.INVALID_REQUEST, message);
    }
}
