package petstore.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.regex.Pattern;

import petstore.Pet;
import petstore.json.PetJson;

/// The format of a file of animals.
public enum Format {
    /// An animal a line, exactly as in the API.
    NDJSON,
    /// RFC 4180 with the header `id,name,categoryId,status`; an absent status is empty.
    CSV;

    private static final Pattern NDJSON_NAME = Pattern.compile("(?i).*\\.(ndjson|jsonl)");
    private static final Pattern CSV_NAME = Pattern.compile("(?i).*\\.csv");

    /// Returns the format of a file by the ending of its name: `.ndjson`, `.jsonl` or `.csv`; absent for others.
    public static Optional<Format> find(String file) {
        return NDJSON_NAME.matcher(file).matches()
                ? Optional.of(NDJSON)
                : Optional.of(CSV).filter(_ -> CSV_NAME.matcher(file).matches());
    }

    /// Appends the header.
    void appendHeader(StringBuilder text) {
        if (this == CSV) {
            PetCsv.appendHeader(text);
        }
    }

    /// Appends an animal.
    ///
    /// @param spreadsheet true if CSV is for a spreadsheet, which must not take a name for a formula
    void append(Pet pet, boolean spreadsheet, StringBuilder text) {
        switch (this) {
            case NDJSON -> PetJson.append(pet, text).append('\n');
            case CSV -> PetCsv.append(pet, spreadsheet, text);
        }
    }

    /// Returns a reader.
    ///
    /// @param in closed with the reader
    /// @param withIds true if every animal must have its id
    /// @param spreadsheet true if CSV was written for a spreadsheet
    ImportLineReader reader(InputStream in, boolean withIds, boolean spreadsheet) throws IOException {
        InputStream checked = FirstBytes.checked(in, this);
        return switch (this) {
            case NDJSON -> new NdjsonLineReader(checked, withIds);
            case CSV -> new CsvLineReader(checked, withIds, spreadsheet);
        };
    }
}
