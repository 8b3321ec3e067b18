package petstore.transfer;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import petstore.NewPet;

/// A line of an imported file that is not blank, with the number of the line, from 1. In CSV it is a record, with the number of the
/// first of its lines.
sealed interface ImportLine {

    /// An animal.
    ///
    /// @param id the id in the file, 0 if ids are not read
    record Good(long line, long id, NewPet pet) implements ImportLine {
    }

    /// A line that is not an animal.
    ///
    /// @param reason the error message, e.g. `name must not be blank`
    /// @param refusesFile true if no other line may be imported either
    record Bad(long line, String reason, boolean refusesFile) implements ImportLine {
        Bad(long line, String reason) {
            this(line, reason, false);
        }
    }

    /// A reader of an imported file, which it does not close.
    interface Reader {

        /// Returns the next line that is not blank; empty at the end.
        Optional<ImportLine> next() throws IOException;

        /// Returns the number of the last line that was read, from 1; for a record of several lines, of the last of them.
        long lastLine();

        /// Returns the names of the columns that an animal does not have. They are ignored.
        default List<String> ignoredColumns() {
            return List.of();
        }
    }
}
