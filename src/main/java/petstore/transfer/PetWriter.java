package petstore.transfer;

import java.io.Closeable;
import java.io.IOException;

import petstore.Pet;

/// Writes animals to a file, one by one.
interface PetWriter extends Closeable {

    void write(Pet pet) throws IOException;
}
