package petstore.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/// Reads a file that is imported, one entry after the other.
interface ImportLineReader extends Closeable {

    /// The next entry; absent at the end.
    Optional<ImportLine> next() throws IOException;
}
