package petstore.transfer;

import petstore.NewPet;

/// A line of an imported file that is not blank; in CSV a record, which may have several lines.
sealed interface ImportLine {

    /// Returns the number of its first line, from 1.
    long line();

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
}
