package petstore.transfer;

import java.util.Optional;
import java.util.regex.Pattern;

/// The format of a file of animals.
public enum Format {
    /// An animal a line, exactly as in the API.
    NDJSON,
    /// RFC 4180 below the header of [CsvLineReader]; an absent value is empty.
    CSV;

    private static final Pattern NDJSON_NAME = Pattern.compile("(?i).*\\.(ndjson|jsonl)");
    private static final Pattern CSV_NAME = Pattern.compile("(?i).*\\.csv");

    /// Returns the format of a file by the ending of its name: `.ndjson`, `.jsonl` or `.csv`; absent for others.
    public static Optional<Format> find(String file) {
        return NDJSON_NAME.matcher(file).matches()
                ? Optional.of(NDJSON)
                : Optional.of(CSV).filter(_ -> CSV_NAME.matcher(file).matches());
    }
}
