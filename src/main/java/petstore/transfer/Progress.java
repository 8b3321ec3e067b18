package petstore.transfer;

/// Is told how far a transfer has come.
@FunctionalInterface
public interface Progress {

    /// Tells that `done` is reached.
    ///
    /// @param done animals or bytes done so far, by the transfer's own measure
    void reached(long done);
}
