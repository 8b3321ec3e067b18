package petstore.transfer;

import java.io.IOException;
import java.io.OutputStream;

import petstore.Pet;
import petstore.json.PetJson;

/// Writes one animal a line, exactly as the API shows it.
final class NdjsonWriter implements PetWriter {

    private final PetJson.Lines lines;

    NdjsonWriter(OutputStream out) throws IOException {
        lines = new PetJson.Lines(out);
    }

    @Override
    public void write(Pet pet) throws IOException {
        lines.write(pet);
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
