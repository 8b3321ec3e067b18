import java.util.List;
import java.util.Map;

/// A store that the service can be started on.
///
/// @param options what a command of the service is told
/// @param environment what it finds in its environment
/// @param end what is done when it is needed no more
record Store(List<String> options, Map<String, String> environment, Runnable end) implements AutoCloseable {

    @Override
    public void close() {
        end.run();
    }

    /// Where stores of one kind come from.
    interface Source {
        /// A store of so many animals with the ids from 1 on, which all who ask share.
        Store shared(long animals) throws Exception;

        /// A copy of such a store, to add animals to.
        Store copy(long animals) throws Exception;
    }
}
