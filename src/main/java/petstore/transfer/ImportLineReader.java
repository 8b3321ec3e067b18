package petstore.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/// A reader of an imported file, which closes it.
interface ImportLineReader extends Closeable {

    /// Returns the next line that is not blank; empty at the end.
    Optional<ImportLine> next() throws IOException;
}
