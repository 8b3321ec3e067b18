import java.util.List;
import java.util.Map;

/// A store that the service can be started on.
///
/// @param options the options of a command of the service
/// @param environment its environment variables
/// @param end runs when it is needed no more
record Store(List<String> options, Map<String, String> environment, Runnable end) implements AutoCloseable {

    @Override
    public void close() {
        end.run();
    }

    /// Makes stores of one kind.
    interface Source {
        /// A store of so many animals with the ids from 1 on, which all who ask share.
        Store shared(long animals) throws Exception;

        /// Returns a copy of a store, to add animals to.
        Store copy(long animals) throws Exception;
    }
}
