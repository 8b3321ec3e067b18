package petstore.transfer;

import petstore.Pet;

/// One line of a file that is imported.
sealed interface Entry {

    /// The number of the line that it begins on, from 1.
    long line();

    /// An animal.
    ///
    /// @param pet under the id that it brings, or 0 when none is wanted
    record Good(long line, Pet pet) implements Entry {
    }

    /// Something else.
    ///
    /// @param reason what is wrong with it, e.g. `name must not be blank`
    record Bad(long line, String reason) implements Entry {
    }
}
