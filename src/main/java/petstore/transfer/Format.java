package petstore.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/// How animals stand in a file.
public enum Format {
    /// One animal a line, exactly as the API shows it.
    NDJSON,
    /// RFC 4180 with the header `id,name,categoryId,status`; an absent status is empty.
    CSV;

    /// Begins to write a file.
    ///
    /// @param out is closed with the writer
    PetWriter writer(OutputStream out) throws IOException {
        return switch (this) {
            case NDJSON -> new NdjsonWriter(out);
            case CSV -> new CsvPetWriter(out);
        };
    }

    /// Begins to read a file.
    ///
    /// @param in is closed with the reader
    /// @param withIds whether every animal must bring its id
    EntryReader reader(InputStream in, boolean withIds) throws IOException {
        return switch (this) {
            case NDJSON -> new NdjsonReader(in, withIds);
            case CSV -> new CsvEntryReader(in, withIds);
        };
    }
}
