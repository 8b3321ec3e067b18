import java.util.List;
import java.util.Map;

/// A store to start the service on.
///
/// @param options the options of a command of the service
/// @param environment its environment variables
/// @param end runs when the store is closed
record Store(List<String> options, Map<String, String> environment, Runnable end) implements AutoCloseable {

    @Override
    public void close() {
        end.run();
    }

    /// Makes stores of one kind.
    interface Source {
        /// Returns the one store with this number of animals, with ids from 1 on. All callers share it.
        Store shared(long animals) throws Exception;

        /// Returns a copy of that store, to add animals to.
        Store copy(long animals) throws Exception;
    }
}
