package petstore.transfer;

import java.io.IOException;
import java.io.InputStream;

import petstore.Pet;
import petstore.json.PetJson;

/// How animals stand in a file.
public enum Format {
    /// One animal a line, exactly as the API shows it.
    NDJSON,
    /// RFC 4180 with the header `id,name,categoryId,status`; an absent status is empty.
    CSV;

    /// Appends what stands above all animals.
    void appendHeader(StringBuilder text) {
        if (this == CSV) {
            PetCsv.appendHeader(text);
        }
    }

    /// Appends one animal.
    ///
    /// @param spreadsheet whether CSV is for a spreadsheet, which must not take a name for a formula
    void append(Pet pet, boolean spreadsheet, StringBuilder text) {
        switch (this) {
            case NDJSON -> PetJson.append(pet, text).append('\n');
            case CSV -> PetCsv.append(pet, spreadsheet, text);
        }
    }

    /// Begins to read a file.
    ///
    /// @param in is closed with the reader
    /// @param withIds whether every animal must bring its id
    /// @param spreadsheet whether CSV was written for a spreadsheet
    ImportLineReader reader(InputStream in, boolean withIds, boolean spreadsheet) throws IOException {
        InputStream checked = FirstBytes.checked(in, this);
        return switch (this) {
            case NDJSON -> new NdjsonLineReader(checked, withIds);
            case CSV -> new CsvLineReader(checked, withIds, spreadsheet);
        };
    }
}
