package petstore.transfer;

import petstore.NewPet;

/// One line of a file that is imported.
sealed interface ImportLine {

    /// The number of the line that it begins on, from 1.
    long line();

    /// An animal.
    ///
    /// @param id the id that it brings, 0 if none is read
    record Good(long line, long id, NewPet pet) implements ImportLine {
    }

    /// A line that is not an animal.
    ///
    /// @param reason the error message, e.g. `name must not be blank`
    record Bad(long line, String reason) implements ImportLine {
    }
}
