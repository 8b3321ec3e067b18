package petstore.transfer;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import petstore.Pet;
import petstore.PetStatus;

/// Writes one animal a record (RFC 4180), below a header.
final class CsvPetWriter implements PetWriter {

    private final CsvWriter csv;

    CsvPetWriter(OutputStream out) {
        csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(out, StandardCharsets.UTF_8);
        csv.writeRecord("id", "name", "categoryId", "status");
    }

    @Override
    public void write(Pet pet) {
        csv.writeRecord(String.valueOf(pet.id()), pet.name().toString(), String.valueOf(pet.categoryId()),
                pet.status().map(PetStatus::text).orElse(""));
    }

    @Override
    public void close() throws IOException {
        csv.close();
    }
}
